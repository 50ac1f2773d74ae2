// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/heads/iqn.h"
#include "kernels/heads/value_support.h"
#include "kernels/simt/dialect.h"

namespace foxhunt {

// The gradient of the quantile Huber loss (Dabney et al., "Implicit Quantile Networks for
// Distributional Reinforcement Learning", ICML 2018, equation 3; Huber as in "Distributional
// Reinforcement Learning with Quantile Regression", AAAI 2018, equation 10):
//
//   loss_rows[b] = mean over n, sum over z of bellman_target[b,z] rho(u),
//                  u = atom z - quantile_values[b, n, actions[b]]
//   rho(u)       = |tau[b,n] - (u < 0)| Huber(u) / kappa
//   Huber(u)     = u^2 / 2 where |u| <= kappa, else kappa (|u| - kappa / 2)
//
// The paper samples the target's quantiles; here the whole target distribution is at hand, so its
// expectation is taken exactly. It adds up over n where this takes the mean, which only scales.

// In the order of the registry's row.
enum class IqnGradVariant {
  deterministic,
  missing_barrier,
};

// Device, f32 and row-major unless said; shapes as in iqn.h.
struct IqnGradInputs {
  const float* h;               // [B,H]
  const float* bellman_target;  // [B,Z]; rows sum to 1
  const int* actions;           // i32 [B], in [0, A)
  IqnWeights weights;
  IqnActivations activations;  // from rl_iqn_forward; read only
  ValueSupport support;
  float kappa;  // > 0
};

// Device, f32, row-major; all overwritten.
struct IqnGradOutputs {
  float* loss_rows;      // [B]; mean_of_rows makes the loss of the batch
  float* grad_quantile;  // [B,N]: the mean loss's gradient at quantile_values[b, n, actions[b]]
  float* row_embedding;  // [B,H]: sum over n of grad_quantile[b,n] ReLU(embedding[b,n,:])
  float* grad_hadamard;  // [B,H]: iqn_grad_hadamard, what comes to h by this head
};

// Through the loss, the last layer and the Hadamard product to h. quantiles <= 6144 (shared
// memory).
//
// Determinism: gpu_to_gpu. One block a row: its threads leave the row's grad_quantile in shared
// memory, and after a barrier each of them adds over n, in order, for the elements it owns.
void iqn_bwd_relu_hadamard(const IqnGradInputs& in, const IqnShape& shape,
                           const IqnGradOutputs& out, cudaStream_t stream,
                           IqnGradVariant variant = IqnGradVariant::deterministic);

struct IqnWeightGradients {
  float* embedding;      // [B,N,H]: the gradient before the ReLU, which the two below are made from
  float *tau_w, *tau_b;  // [K,H], [H]
  float *w, *b;          // [H,A], [A]
};

// The weights' gradients, from what the call above wrote. cosines >= 1.
//
// Determinism: tau_w and tau_b are kernels/gemm's product at the site "iqn"; the rest gpu_to_gpu:
// each element has one writer, which adds in index order.
void iqn_bwd_weights(const IqnGradInputs& in, const IqnShape& shape, const IqnGradOutputs& from,
                     const IqnWeightGradients& out, cudaStream_t stream);

}  // namespace foxhunt
