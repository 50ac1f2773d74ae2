// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "kernels/math/philox.h"
#include "kernels/simt/dialect.h"

namespace foxhunt {

// Implicit quantile networks: Dabney, Ostrovski, Silver and Munos, "Implicit Quantile Networks for
// Distributional Reinforcement Learning" (ICML 2018). For each sampled fraction tau:
//
//   cosine[i]    = cos(pi i tau), i < cosines
//   embedding[j] = ReLU(sum over i of cosine[i] tau_w[i,j] + tau_b[j])      (equation 4)
//   quantile[a]  = sum over j of (h[j] embedding[j]) w[j,a] + b[a]          (Hadamard, then linear)
//
// and the action's value is the mean over `quantiles` fractions. Gradients: iqn_grad.h.

// In the order of the registry's row.
enum class IqnVariant {
  deterministic,
  tau_arrival_order,
};

struct IqnShape {
  int batch, hidden, actions;  // B, H, A
  int quantiles;               // N: fractions for each row of the batch
  int cosines;                 // K: width of the embedding; the trainer takes K = N
};

// Device, f32, row-major.
struct IqnWeights {
  const float *tau_w, *tau_b;  // [K,H], [H]
  const float *w, *b;          // [H,A], [A]
};

// What the forward leaves for the backward. Device, f32, row-major; all overwritten.
struct IqnActivations {
  float* taus;             // [B,N], in (0, 1)
  float* cosines;          // [B,N,K]
  float* embedding;        // [B,N,H], before the ReLU
  float* quantile_values;  // [B,N,A]
  unsigned* tau_counter;   // [1]; used by the variant only, and may be null otherwise
};

// Writes q_values[B,A] and the activations.
//
// h             device, f32 [B,H]
// rng_counters  device, u64: {seed, step}
// stream        the work is queued here; the call returns without waiting for it
//
// Determinism: the embedding's product is kernels/gemm's at the site "iqn": gpu_to_gpu by our own
// kernel, run_to_run by cuBLAS. All else is gpu_to_gpu: tau[b,n] is the Philox draw number b N + n
// of (seed, purpose, step), whichever thread asks for it; each element has one writer, which adds
// in index order.
void rl_iqn_forward(const float* h, const std::uint64_t* rng_counters, const IqnWeights& weights,
                    const IqnShape& shape, const IqnActivations& activations, float* q_values,
                    cudaStream_t stream, IqnVariant variant = IqnVariant::deterministic,
                    math::RngPurpose purpose = math::RngPurpose::iqn_tau);

}  // namespace foxhunt
