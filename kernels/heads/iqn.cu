// SPDX-License-Identifier: MIT
#include "kernels/gemm/gemm.h"
#include "kernels/heads/iqn.h"
#include "kernels/heads/tile_product.h"

namespace foxhunt {
namespace heads {

// One fraction and its cosines a thread.
template <IqnVariant kVariant>
__global__ void iqn_draw(const std::uint64_t* rng_counters, math::RngPurpose purpose, int fractions,
                         int cosines, IqnActivations out) {
  const int at = thread_number();
  if (at >= fractions) return;
  std::uint64_t draw = static_cast<std::uint64_t>(at);
  if constexpr (kVariant == IqnVariant::tau_arrival_order) {
    // Wrong: draws are handed out in the order in which threads ask, not by the fraction's place.
    draw = atomicAdd(out.tau_counter, 1u);
  }
  const float tau = math::uniform(math::philox(rng_counters[0], purpose, rng_counters[1], draw).x);
  out.taus[at] = tau;
  for (int i = 0; i < cosines; ++i) {
    out.cosines[at * cosines + i] = math::cos_pi(math::mul(static_cast<float>(i), tau));
  }
}

__global__ void iqn_quantiles(const float* h, IqnWeights weights, IqnShape s, IqnActivations out,
                              bool aligned) {
  tile_product(
      s.batch * s.quantiles, s.actions, s.hidden,
      [=](int r, int p) {
        const float embedding = out.embedding[r * s.hidden + p];
        return embedding > 0.0f ? math::mul(h[r / s.quantiles * s.hidden + p], embedding) : 0.0f;
      },
      [=](int p, int c, int valid) {
        return four_of(weights.w + p * s.actions + c, valid, aligned);
      },
      [=](int r, int c, float4 sum, int valid) {
        const float4 bias = four_of(weights.b + c, valid, aligned);
        put_four(out.quantile_values + r * s.actions + c, add_four(sum, bias), valid, aligned);
      });
}

__global__ void iqn_mean(const float* quantile_values, IqnShape s, float* q_values) {
  const int at = thread_number();
  if (at >= s.batch * s.actions) return;
  const int b = at / s.actions, a = at % s.actions;
  float sum = 0.0f;
  for (int n = 0; n < s.quantiles; ++n) {
    sum = math::add(sum, quantile_values[(b * s.quantiles + n) * s.actions + a]);
  }
  q_values[at] = math::div(sum, static_cast<float>(s.quantiles));
}

void queue_draw(const std::uint64_t* rng_counters, math::RngPurpose purpose, const IqnShape& s,
                const IqnActivations& out, cudaStream_t stream, IqnVariant variant) {
  const int fractions = s.batch * s.quantiles;
  if (variant == IqnVariant::tau_arrival_order) {
    cudaMemsetAsync(out.tau_counter, 0, sizeof(unsigned), stream);
    launch(iqn_draw<IqnVariant::tau_arrival_order>, blocks_for(fractions), kThreads, 0, stream,
           rng_counters, purpose, fractions, s.cosines, out);
  } else {
    launch(iqn_draw<IqnVariant::deterministic>, blocks_for(fractions), kThreads, 0, stream,
           rng_counters, purpose, fractions, s.cosines, out);
  }
}

}  // namespace heads

void rl_iqn_forward(const float* h, const std::uint64_t* rng_counters, const IqnWeights& weights,
                    const IqnShape& shape, const IqnActivations& activations, float* q_values,
                    cudaStream_t stream, IqnVariant variant, math::RngPurpose purpose) {
  const int fractions = shape.batch * shape.quantiles;
  if (fractions == 0) return;
  heads::queue_draw(rng_counters, purpose, shape, activations, stream, variant);
  gemm({.site = "iqn",
        .m = fractions,
        .n = shape.hidden,
        .k = shape.cosines,
        .a = {activations.cosines, shape.cosines},
        .b = {weights.tau_w, shape.hidden},
        .c = activations.embedding,
        .c_stride = shape.hidden,
        .bias = weights.tau_b},
       stream);
  const bool aligned = allows_four(weights.w, shape.actions) &&
                       allows_four(weights.b, shape.actions) &&
                       allows_four(activations.quantile_values, shape.actions);
  launch(heads::iqn_quantiles, heads::blocks_for(heads::tile_threads(fractions, shape.actions)),
         heads::kThreads, 0, stream, h, weights, shape, activations, aligned);
  launch(heads::iqn_mean, heads::blocks_for(shape.batch * shape.actions), heads::kThreads, 0,
         stream, activations.quantile_values, shape, q_values);
}

}  // namespace foxhunt
