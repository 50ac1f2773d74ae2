// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/heads/value_support.h"
#include "kernels/simt/dialect.h"

namespace foxhunt {

// The state value head: a linear layer to one number, trained by half the squared error to the mean
// of the Bellman target, a TD(0) target (Sutton and Barto, "Reinforcement Learning: An
// Introduction", 2nd edition, 2018, section 9.3):
//
//   loss_rows[b] = (v[b] - mean of bellman_target[b,:])^2 / 2
//
// B batch, H hidden, Z atoms. All buffers are on the device, f32 and row-major; every output is
// overwritten. Work is queued on `stream`; the calls return without waiting for it.
//
// Determinism: gpu_to_gpu. Each element has one writer, which adds in index order.

// Writes v[B] = h[B,H] w[H] + b[1].
void v_head_fwd(const float* h, const float* w, const float* b, int batch, int hidden, float* v,
                cudaStream_t stream);

// Writes loss_rows[B] (mean_of_rows makes the loss of the batch), grad_v[B] of the mean loss, and
// grad_h[B,H] = grad_v w^T. bellman_target[B,Z] is a constant here.
void v_head_bwd(const float* v, const float* bellman_target, const float* w, int batch, int hidden,
                ValueSupport support, float* loss_rows, float* grad_v, float* grad_h,
                cudaStream_t stream);

// Writes grad_w[H] = h^T grad_v and grad_b[1], the sum of grad_v.
void v_head_bwd_weights(const float* h, const float* grad_v, int batch, int hidden, float* grad_w,
                        float* grad_b, cudaStream_t stream);

}  // namespace foxhunt
