// SPDX-License-Identifier: MIT
#include "kernels/heads/noisy_linear.h"
#include "kernels/heads/tile_product.h"

namespace foxhunt {
namespace heads {

__device__ inline float signed_root(float x) {
  return math::with_sign(math::sqrt(math::absolute(x)), x);
}

__global__ void reset_noise(const std::uint64_t* rng_counters, std::uint64_t steps_ahead,
                            math::RngPurpose purpose, int count, float* eps) {
  const int quad = thread_number();
  if (4 * quad >= count) return;
  const math::NormalQuad draw = math::normals(math::philox(
      rng_counters[0], purpose, rng_counters[1] + steps_ahead, static_cast<std::uint64_t>(quad)));
  const float noise[4] = {signed_root(draw.first.first), signed_root(draw.first.second),
                          signed_root(draw.second.first), signed_root(draw.second.second)};
  for (int i = 0; i < 4 && 4 * quad + i < count; ++i) eps[4 * quad + i] = noise[i];
}

__global__ void noisy_linear_forward(const float* x, NoisyLinear layer, const float* eps, int batch,
                                     float* y) {
  const float* eps_out = eps + layer.in;
  tile_product<4, 4>(
      batch, layer.out, layer.in, [=](int r, int p) { return x[r * layer.in + p]; },
      [=](int p, int c) {
        const int at = p * layer.out + c;
        return math::fma(layer.w_sigma[at], math::mul(eps[p], eps_out[c]), layer.w_mu[at]);
      },
      [=](int r, int c, float sum) {
        const float bias = math::fma(layer.b_sigma[c], eps_out[c], layer.b_mu[c]);
        y[r * layer.out + c] = math::add(sum, bias);
      });
}

// Wrong: the next step's noise is drawn on another stream to save time, with no event that makes it
// wait until the forward has read this step's. Elements mix the two.
void queue_overlapping_resample(const NoisyLinear& layer, float* eps, const NoiseAhead& ahead) {
  rl_noisy_reset_noise(ahead.rng_counters, layer.in + layer.out, eps, ahead.stream, 1);
}

}  // namespace heads

void rl_noisy_reset_noise(const std::uint64_t* rng_counters, int count, float* eps,
                          cudaStream_t stream, std::uint64_t steps_ahead,
                          math::RngPurpose purpose) {
  if (count == 0) return;
  launch(heads::reset_noise, heads::blocks_for((count + 3) / 4), heads::kThreads, 0, stream,
         rng_counters, steps_ahead, purpose, count, eps);
}

void rl_noisy_linear_forward(const float* x, const NoisyLinear& layer, float* eps, int batch,
                             float* y, cudaStream_t stream, NoisyLinearVariant variant,
                             NoiseAhead ahead) {
  const unsigned blocks = heads::blocks_for(heads::tile_threads<4, 4>(batch, layer.out));
  if (blocks == 0) return;
  launch(heads::noisy_linear_forward, blocks, heads::kThreads, 0, stream, x, layer, eps, batch, y);
  if (variant == NoisyLinearVariant::resample_overlap) {
    heads::queue_overlapping_resample(layer, eps, ahead);
  }
}

}  // namespace foxhunt
