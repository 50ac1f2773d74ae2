// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/simt/dialect.h"

namespace foxhunt {

// A closed-form continuous-time cell over a window: the solution of a liquid time-constant network
// in closed form, so that a step needs no ODE solver. Hasani et al., "Closed-form continuous-time
// neural networks" (Nature Machine Intelligence 4, 2022), equation (10), with each of its three
// networks one linear layer, and one learned time scale per unit:
//
//   (f, g, c)[t] = x[t] w_in + h[t-1] w_rec + b            three H-vectors, side by side
//   s[t]         = sigmoid(-f[t] tau)
//   h[t]         = s[t] tanh(g[t]) + (1 - s[t]) tanh(c[t])
//
// Shapes, row-major: x = ln_b_out [B,T,D], h[-1] = sampled_h_t [B,H], w_in [D,3H], w_rec [H,3H],
// b [3H], tau [H], h = cfc_out [B,T,H]. H is 1 to 256; any other is an Error (bad_argument).
//
// Determinism: gpu_to_gpu. A block takes eight batch items through the steps one after the other, a
// thread owns a unit of theirs; sums over D and H are one chain of fused multiply-adds in index
// order (the part of x by own_gemm, on every backend), sums over T are in index order.

// Parameters, all on the device.
struct CfcParameters {
  const float* w_in;
  const float* w_rec;
  const float* b;
  const float* tau;
};

// Queues the forward on `stream`, as every call here does, without waiting for it.
//
// x, h_t, parameters  device, read
// cfc_out             device [B,T,H], overwritten
// cfc_gates           device [B,T,3H], overwritten: f, tanh(g), tanh(c) of each step, which the
//                     backward reads
void cfc_step_forward_batched(const float* x, const float* h_t, const CfcParameters& parameters,
                              int batch, int window, int inputs, int hidden, float* cfc_out,
                              float* cfc_gates, cudaStream_t stream);

// Where the backward puts its gradients, all on the device and overwritten. Those of parameters are
// each batch item's own; their sums over B (reduce_axis0) are the gradients.
struct CfcGradients {
  float* x;              // [B,T,D]
  float* w_in_scratch;   // cfc_grad_w_in_scratch [B,D,3H]
  float* w_rec_scratch;  // cfc_grad_w_rec_scratch [B,H,3H]
  float* b_scratch;      // cfc_grad_b_scratch [B,3H]
  float* tau_scratch;    // cfc_grad_tau_scratch [B,H]
  float* gates;          // [B,T,3H]: at f, g and c before tanh
};

// In the order of the registry's row: never renumber.
enum class CfcBackwardVariant {
  deterministic,
  float_atomics,  // parts of the window add to the parameters' gradients by float atomics
};

// The gradients of a loss from `grad_out` [B,T,H], its gradient at cfc_out, which the forward made
// with cfc_gates. h_t is replayed data, so it gets none.
void cfc_step_backward_batched(const float* x, const float* h_t, const CfcParameters& parameters,
                               const float* cfc_out, const float* cfc_gates, const float* grad_out,
                               int batch, int window, int inputs, int hidden,
                               const CfcGradients& grad, cudaStream_t stream,
                               CfcBackwardVariant variant = CfcBackwardVariant::deterministic);

}  // namespace foxhunt
