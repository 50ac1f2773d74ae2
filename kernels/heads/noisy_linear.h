// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "kernels/math/philox.h"
#include "kernels/simt/dialect.h"

namespace foxhunt {

// A linear layer whose weights carry factorised Gaussian noise: Fortunato et al., "Noisy Networks
// for Exploration" (ICLR 2018, section 3.1b).
//
//   w[i,o] = w_mu[i,o] + w_sigma[i,o] eps[i] eps[in + o]
//   b[o]   = b_mu[o]   + b_sigma[o]   eps[in + o]
//
// All buffers are on the device, f32 and row-major; work is queued on `stream` and the calls return
// without waiting for it. Its gradients come from dqn_grad.h: nothing lies between this layer and
// the C51 head but a product.

// As on the command line, by name; in the order of the registry's row.
enum class NoisyLinearVariant {
  deterministic,
  resample_overlap,
};

struct NoisyLinear {
  const float *w_mu, *w_sigma;  // [in,out]
  const float *b_mu, *b_sigma;  // [out]
  int in, out;
};

// Draws the noise of one step: eps[0, count) = sign(x) sqrt|x| for standard normal x.
//
// rng_counters  device, u64: {seed, step}
// steps_ahead   added to the step
//
// Determinism: gpu_to_gpu. Elements 4q to 4q+3 are the Philox draw number q of (seed, purpose,
// step), whichever thread asks for it.
void rl_noisy_reset_noise(const std::uint64_t* rng_counters, int count, float* eps,
                          cudaStream_t stream, std::uint64_t steps_ahead = 0,
                          math::RngPurpose purpose = math::RngPurpose::noisy_linear);

// What `resample_overlap` needs besides: it draws the next step's noise on a stream of its own.
struct NoiseAhead {
  const std::uint64_t* rng_counters = nullptr;  // as above
  cudaStream_t stream = nullptr;                // another one than the forward's
};

// Writes y[batch,out] = x[batch,in] w + b.
//
// eps  [in + out], from rl_noisy_reset_noise; read only, except by the variant, which overwrites it
//
// Determinism: gpu_to_gpu. Each element has one writer, which adds in index order.
void rl_noisy_linear_forward(const float* x, const NoisyLinear& layer, float* eps, int batch,
                             float* y, cudaStream_t stream,
                             NoisyLinearVariant variant = NoisyLinearVariant::deterministic,
                             NoiseAhead ahead = {});

}  // namespace foxhunt
