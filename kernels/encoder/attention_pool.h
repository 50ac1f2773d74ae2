// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/simt/dialect.h"

namespace foxhunt {

// Attention pooling: one learned query looks over a window's rows and returns their weighted mean.
// It is attention as in Vaswani et al., "Attention is all you need" (NeurIPS 2017), with the query
// a parameter as in Lee et al., "Set Transformer" (ICML 2019), one head, keys and values both x:
//
//   s[t] = q . x[t] / sqrt(H)      a = softmax(s)      out = sum over t of a[t] x[t]
//
// Shapes, row-major: x = cfc_out [B,T,H], q [H], out = attn_pool_out [B,H]. T is 1 to 4096; any
// other is an Error (bad_argument).
//
// Determinism: gpu_to_gpu. A block owns a batch item. Four lanes share a dot product over H, each
// adding its quads in index order, and a fixed tree joins the four; sums over T run in index order.

// Queues the forward on `stream`, as every call here does, without waiting for it.
//
// cfc_out, q     device, read
// attn_pool_out  device, overwritten
void attention_pool_fwd(const float* cfc_out, const float* q, int batch, int window, int hidden,
                        float* attn_pool_out, cudaStream_t stream);

// In the order of the registry's row: never renumber.
enum class AttentionPoolBwdVariant {
  deterministic,
  warp_no_sync,  // the lanes' tree in shared memory without __syncwarp
};

// The gradients of a loss from `grad_out` [B,H], its gradient at attn_pool_out. The forward's
// weights are computed anew.
//
// cfc_out, q, grad_out  device, read
// grad_cfc_out          device [B,T,H], overwritten
// attn_grad_q_scratch   device [B,H], overwritten: each batch item's own gradient at q; their sum
//                       over B (reduce_axis0) is the gradient
void attention_pool_bwd(const float* cfc_out, const float* q, const float* grad_out, int batch,
                        int window, int hidden, float* grad_cfc_out, float* attn_grad_q_scratch,
                        cudaStream_t stream,
                        AttentionPoolBwdVariant variant = AttentionPoolBwdVariant::deterministic);

}  // namespace foxhunt
