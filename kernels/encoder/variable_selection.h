// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/simt/dialect.h"

namespace foxhunt {

// Variable selection: which of F features matter is decided anew in each row, by a softmax over the
// features; their embeddings are mixed by those weights and pass a gated linear unit. A small form
// of the variable selection network of Lim et al., "Temporal Fusion Transformers for interpretable
// multi-horizon time series forecasting" (Int. J. Forecasting 37, 2021), section 4.2, with its
// gated residual networks cut down to one linear layer:
//
//   a      = softmax over f of (b[f,0] + sum over g of x[g] w[g,f])
//   mix[j] = sum over f of a[f] (x[f] w[f,F+j] + b[f,1+j])                for j < 2D
//   out[d] = mix[d] * sigmoid(mix[D+d])
//
// Row f of w [F,F+2D] is thus what feature f feeds: F selection scores, D values, D gates; row f of
// b [F,1+2D] holds its score's bias and its embedding's.
//
// Shapes, row-major: x = sampled_window [B,T,F], out = vsn_out [B,T,D]. F is 1 to 64 and D 1 to
// 256; any other is an Error (bad_argument).
//
// Determinism: gpu_to_gpu. Every sum has one owner, which adds in index order by fused
// multiply-adds.

// Queues the forward on `stream`, as every call here does, without waiting for it.
//
// sampled_window, w, b  device, read
// vsn_out               device, overwritten
void variable_selection_fwd(const float* sampled_window, const float* w, const float* b, int batch,
                            int window, int features, int width, float* vsn_out,
                            cudaStream_t stream);

// In the order of the registry's row: never renumber.
enum class VariableSelectionBwdVariant {
  deterministic,
  missing_barrier,  // gradients at the mix are read before all threads have stored theirs
};

// The gradients of a loss from `grad_out` [B,T,D], its gradient at vsn_out. The forward is computed
// anew. The window is data, so it gets no gradient.
//
// sampled_window, w, b, grad_out  device, read
// vsn_grad_w_scratch              device [B,F,F+2D], overwritten: each batch item's own gradient
// vsn_grad_b_scratch              device [B,F,1+2D], overwritten, likewise; reduce_axis0 sums them
void variable_selection_bwd(
    const float* sampled_window, const float* w, const float* b, const float* grad_out, int batch,
    int window, int features, int width, float* vsn_grad_w_scratch, float* vsn_grad_b_scratch,
    cudaStream_t stream,
    VariableSelectionBwdVariant variant = VariableSelectionBwdVariant::deterministic);

}  // namespace foxhunt
