// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/heads/noisy_linear.h"
#include "kernels/simt/dialect.h"

namespace foxhunt {

// The gradient of the C51 loss (Bellemare et al. 2017), weighted for prioritised sampling (Schaul
// et al., "Prioritized Experience Replay", ICLR 2016):
//
//   loss_rows[b] = -is_weight[b] sum over z of bellman_target[b,z] log p[b,z]
//   p[b,:]       = softmax of q_logits[b, actions[b], :]
//
// It flows through the C51 head (dqn_head.h) and the noisy layer below it (noisy_linear.h) to h.
// Only the logits of the action taken have a gradient. All buffers are on the device, f32 and
// row-major unless said; all outputs are overwritten. B batch, A actions, Z atoms, H = layer.in, O
// = layer.out.

// In the order of the registry's row.
enum class DqnGradVariant {
  deterministic,
  accumulate_racing,
};

struct DqnGradInputs {
  const float* q_logits;           // [B,A,Z]
  const float* bellman_target;     // [B,Z]; rows sum to 1
  const float* is_weight;          // [B]
  const int* actions;              // i32 [B], in [0, A)
  const float* noisy_hidden;       // [B,O]
  const float* w;                  // [O,A,Z], the C51 head's
  NoisyLinear layer;               // from [B,H] to [B,O]
  const float* eps;                // [H + O]
  const float* iqn_grad_hadamard;  // [B,H], added to grad_h; or null
};

struct DqnGradOutputs {
  float* loss_rows;          // [B]; mean_of_rows makes the loss of the batch
  float* grad_q_taken;       // [B,Z]: the mean loss's gradient at the logits of the action taken
  float* grad_noisy_hidden;  // [B,O]
  float* grad_h;             // [B,H]: grad_h_t_q
  float* grad_w;             // [O,A,Z]
  float* grad_b;             // [A,Z]
};

// Determinism: gpu_to_gpu. Each element has one writer, which adds in index order: the elements of
// grad_w and grad_b over the batch's rows that took their action.
void dqn_grad_w_b_h_t(const DqnGradInputs& in, int batch, int actions, int atoms,
                      const DqnGradOutputs& out, cudaStream_t stream,
                      DqnGradVariant variant = DqnGradVariant::deterministic);

// The noisy layer's own gradients, from the grad_noisy_hidden that the call above wrote.
//
// h                   [B,H]  attn_pool_out
// grad_w_mu, _sigma   [H,O]
// grad_b_mu, _sigma   [O]
//
// Determinism: gpu_to_gpu, for the same reason.
void dqn_grad_noisy(const float* h, const float* grad_noisy_hidden, const NoisyLinear& layer,
                    const float* eps, int batch, float* grad_w_mu, float* grad_w_sigma,
                    float* grad_b_mu, float* grad_b_sigma, cudaStream_t stream);

}  // namespace foxhunt
