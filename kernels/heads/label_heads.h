// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/simt/dialect.h"

namespace foxhunt {

// The two heads that learn a label by softmax cross-entropy, one linear layer each.
//
// frd      which bin of the forward-return distribution comes true: a value learnt as a class
//          (Farebrother et al., "Stop Regressing: Training Value Functions via Classification for
//          Scalable Deep RL", ICML 2024; here with one-hot labels)
// outcome  which class of outcome follows: an auxiliary task that shapes the trunk (Jaderberg et
//          al., "Reinforcement Learning with Unsupervised Auxiliary Tasks", ICLR 2017)
//
// B batch, H hidden, C classes (bins). All buffers are on the device, f32 and row-major; every
// output is overwritten. Work is queued on `stream`; the calls return without waiting for it.
//
// Determinism: gpu_to_gpu. Each element has one writer, which adds in index order.
//
// h          [B,H]  attn_pool_out
// w, b       [H,C], [C]
// labels     i32 [B]; a label outside [0, C) marks a row without one: no loss, no gradient
// loss_rows  [B]    -log p(label); mean_of_rows (mean_of_rows.h) makes the loss of the batch

// Writes logits[B,C] = h w + b.
void frd_head_fwd(const float* h, const float* w, const float* b, int batch, int hidden,
                  int classes, float* logits, cudaStream_t stream);
void outcome_head_fwd(const float* h, const float* w, const float* b, int batch, int hidden,
                      int classes, float* logits, cudaStream_t stream);

// Writes loss_rows, grad_logits[B,C] of the mean loss, and grad_h[B,H] = grad_logits w^T.
void frd_head_bwd(const float* logits, const int* labels, const float* w, int batch, int hidden,
                  int classes, float* loss_rows, float* grad_logits, float* grad_h,
                  cudaStream_t stream);
void outcome_head_bwd(const float* logits, const int* labels, const float* w, int batch, int hidden,
                      int classes, float* loss_rows, float* grad_logits, float* grad_h,
                      cudaStream_t stream);

// Writes grad_w[H,C] = h^T grad_logits and grad_b[C], the sum of grad_logits over the batch.
void frd_head_bwd_weights(const float* h, const float* grad_logits, int batch, int hidden,
                          int classes, float* grad_w, float* grad_b, cudaStream_t stream);
void outcome_head_bwd_weights(const float* h, const float* grad_logits, int batch, int hidden,
                              int classes, float* grad_w, float* grad_b, cudaStream_t stream);

}  // namespace foxhunt
