// SPDX-License-Identifier: MIT
#include "kernels/heads/noisy_linear.h"
#include "kernels/heads/tile_product.h"

namespace foxhunt {
namespace heads {

__device__ inline float signed_root(float x) {
  return math::with_sign(math::sqrt(math::absolute(x)), x);
}

__global__ void reset_noise(const std::uint64_t* rng_counters, std::uint64_t steps_ahead,
                            math::RngPurpose purpose, int count, float* eps, bool aligned) {
  const int quad = thread_number();
  if (4 * quad >= count) return;
  const math::NormalQuad draw = math::normals(math::philox(
      rng_counters[0], purpose, rng_counters[1] + steps_ahead, static_cast<std::uint64_t>(quad)));
  const float4 noise = make_float4(signed_root(draw.first.first), signed_root(draw.first.second),
                                   signed_root(draw.second.first), signed_root(draw.second.second));
  put_four(eps + 4 * quad, noise, count - 4 * quad, aligned);
}

__global__ void noisy_linear_forward(const float* x, NoisyLinear layer, const float* eps, int batch,
                                     float* y, bool aligned) {
  const float* eps_out = eps + layer.in;
  tile_product(
      batch, layer.out, layer.in, [=](int r, int p) { return x[r * layer.in + p]; },
      [=](int p, int c, int valid) {
        const int at = p * layer.out + c;
        const float4 mu = four_of(layer.w_mu + at, valid, aligned);
        const float4 sigma = four_of(layer.w_sigma + at, valid, aligned);
        return fma_each(sigma, scale_four(eps[p], four_of(eps_out + c, valid, aligned)), mu);
      },
      [=](int r, int c, float4 sum, int valid) {
        const float4 bias =
            fma_each(four_of(layer.b_sigma + c, valid, aligned),
                     four_of(eps_out + c, valid, aligned), four_of(layer.b_mu + c, valid, aligned));
        put_four(y + r * layer.out + c, add_four(sum, bias), valid, aligned);
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
         rng_counters, steps_ahead, purpose, count, eps,
         reinterpret_cast<std::uintptr_t>(eps) % 16 == 0);
}

void rl_noisy_linear_forward(const float* x, const NoisyLinear& layer, float* eps, int batch,
                             float* y, cudaStream_t stream, NoisyLinearVariant variant,
                             NoiseAhead ahead) {
  const unsigned blocks = heads::blocks_for(heads::tile_threads(batch, layer.out));
  if (blocks == 0) return;
  const int out = layer.out;
  const bool aligned = allows_four(layer.w_mu, out) && allows_four(layer.w_sigma, out) &&
                       allows_four(layer.b_mu, out) && allows_four(layer.b_sigma, out) &&
                       allows_four(eps + layer.in, out) && allows_four(y, out);
  launch(heads::noisy_linear_forward, blocks, heads::kThreads, 0, stream, x, layer, eps, batch, y,
         aligned);
  if (variant == NoisyLinearVariant::resample_overlap) {
    heads::queue_overlapping_resample(layer, eps, ahead);
  }
}

}  // namespace foxhunt
