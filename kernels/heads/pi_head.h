// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/simt/dialect.h"

namespace foxhunt {

// The policy head: a linear layer to logits[B,A], trained off-policy on replayed actions by the
// clipped surrogate of PPO (Schulman et al., "Proximal Policy Optimization Algorithms", 2017,
// equation 7) with an optional entropy bonus (Mnih et al., "Asynchronous Methods for Deep
// Reinforcement Learning", ICML 2016):
//
//   ratio        = exp(log p[b, actions[b]] - log_pi_old[b])
//   loss_rows[b] = -min(ratio advantage[b], clamp(ratio, 1 - clip, 1 + clip) advantage[b])
//                  - entropy_weight entropy(p[b,:])
//
// The advantage is td_error: a constant here, nothing flows back through it.
//
// B batch, H hidden, A actions. All buffers are on the device, f32 and row-major unless said; every
// output is overwritten. Work is queued on `stream`; the calls return without waiting for it.
//
// Determinism: gpu_to_gpu. Each element has one writer, which adds in index order.

struct PolicyLoss {
  float clip;            // > 0, PPO's epsilon
  float entropy_weight;  // >= 0; 0 leaves the entropy out
};

// Writes logits[B,A] = h[B,H] w[H,A] + b[A].
void pi_head_fwd(const float* h, const float* w, const float* b, int batch, int hidden, int actions,
                 float* logits, cudaStream_t stream);

struct PolicyInputs {
  const float* logits;      // [B,A]
  const int* actions;       // i32 [B], in [0, A)
  const float* log_pi_old;  // [B], of the policy that acted
  const float* advantage;   // [B]
};

// Writes loss_rows[B] (mean_of_rows makes the loss of the batch), grad_logits[B,A] of the mean
// loss, and grad_h[B,H] = grad_logits w^T.
void pi_head_bwd(const PolicyInputs& in, const float* w, int batch, int hidden, int actions,
                 PolicyLoss loss, float* loss_rows, float* grad_logits, float* grad_h,
                 cudaStream_t stream);

// Writes grad_w[H,A] = h^T grad_logits and grad_b[A], the sum of grad_logits over the batch.
void pi_head_bwd_weights(const float* h, const float* grad_logits, int batch, int hidden,
                         int actions, float* grad_w, float* grad_b, cudaStream_t stream);

}  // namespace foxhunt
