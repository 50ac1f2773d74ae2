// SPDX-License-Identifier: MIT
#include "kernels/four.h"
#include "kernels/math/elementary.h"
#include "kernels/update/adam_step.h"

namespace foxhunt {
namespace {

constexpr int kThreads = 64, kFours = 4;  // 16 elements a thread
constexpr int kBlockElements = kThreads * kFours * 4;

__device__ float one_minus_power(float base, int exponent) {
  float power = 1.0f;
  for (; exponent > 0; exponent /= 2) {  // by squares: O(log t) roundings, and no libm
    if (exponent % 2 == 1) power = math::mul(power, base);
    base = math::mul(base, base);
  }
  return math::add(1.0f, -power);
}

__device__ void count_step(AdamState* state, const AdamOptions& options) {
  const int step = state->step + 1;
  state->step = step;
  state->mean_correction = one_minus_power(options.beta1, step);
  state->variance_correction = one_minus_power(options.beta2, step);
}

__global__ void adam_count(AdamState* state, AdamOptions options) { count_step(state, options); }

struct Corrections {
  float mean, variance;
};

__device__ void update(float& param, float& m, float& v, float g, const Corrections& corrections,
                       const AdamOptions& options) {
  m = math::fma(math::add(1.0f, -options.beta1), math::add(g, -m), m);
  v = math::fma(math::add(1.0f, -options.beta2), math::fma(g, g, -v), v);
  const float mean = math::div(m, corrections.mean);
  const float deviation = math::sqrt(math::div(v, corrections.variance));
  const float direction = math::div(mean, math::add(deviation, options.epsilon));
  param = math::fma(-options.learning_rate, direction, param);
}

template <bool kAligned>
__device__ void update_block(float* params, float* m, float* v, const float* grads, int count,
                             const float* scale, const Corrections& corrections,
                             const AdamOptions& options) {
  const float factor = scale == nullptr ? 1.0f : *scale;
  const int begin = static_cast<int>(blockIdx.x) * kBlockElements;
  for (int k = 0; k < kFours; ++k) {
    const int i = begin + (k * kThreads + static_cast<int>(threadIdx.x)) * 4;
    const int valid = count - i;
    if (valid <= 0) return;
    float4 p4 = load_four<kAligned>(params + i, valid);
    float4 m4 = load_four<kAligned>(m + i, valid);
    float4 v4 = load_four<kAligned>(v + i, valid);
    const float4 g4 = load_four<kAligned>(grads + i, valid);
    update(p4.x, m4.x, v4.x, math::mul(factor, g4.x), corrections, options);
    update(p4.y, m4.y, v4.y, math::mul(factor, g4.y), corrections, options);
    update(p4.z, m4.z, v4.z, math::mul(factor, g4.z), corrections, options);
    update(p4.w, m4.w, v4.w, math::mul(factor, g4.w), corrections, options);
    store_four<kAligned>(params + i, p4, valid);
    store_four<kAligned>(m + i, m4, valid);
    store_four<kAligned>(v + i, v4, valid);
  }
}

template <bool kAligned>
__global__ void __launch_bounds__(kThreads)
    adam_update(float* params, float* m, float* v, const float* grads, int count,
                const float* scale, const AdamState* state, AdamOptions options) {
  update_block<kAligned>(params, m, v, grads, count, scale,
                         {state->mean_correction, state->variance_correction}, options);
}

// Wrong on purpose: one launch counts the step and uses the count. A block that starts before block
// 0 has counted corrects its moments for the step before.
template <bool kAligned>
__global__ void __launch_bounds__(kThreads)
    adam_racing_step_counter(float* params, float* m, float* v, const float* grads, int count,
                             const float* scale, AdamState* state, AdamOptions options) {
  if (blockIdx.x == 0 && threadIdx.x == 0) count_step(state, options);
  __syncthreads();
  const int step = state->step > 0 ? state->step : 1;
  update_block<kAligned>(
      params, m, v, grads, count, scale,
      {one_minus_power(options.beta1, step), one_minus_power(options.beta2, step)}, options);
}

template <bool kAligned>
void launch_variant(float* params, float* m, float* v, const float* grads, int count,
                    const float* scale, AdamState* state, const AdamOptions& options,
                    cudaStream_t stream, AdamVariant variant) {
  const dim3 grid(static_cast<unsigned>((count + kBlockElements - 1) / kBlockElements));
  switch (variant) {
    case AdamVariant::deterministic:
      launch(adam_count, dim3(1), dim3(1), 0, stream, state, options);
      if (count == 0) return;
      launch(adam_update<kAligned>, grid, dim3(kThreads), 0, stream, params, m, v, grads, count,
             scale, state, options);
      break;
    case AdamVariant::racing_step_counter:
      if (count == 0) return;
      launch(adam_racing_step_counter<kAligned>, grid, dim3(kThreads), 0, stream, params, m, v,
             grads, count, scale, state, options);
      break;
  }
}

}  // namespace

void adam_step(float* params, float* m, float* v, const float* grads, int count, const float* scale,
               AdamState* state, const AdamOptions& options, cudaStream_t stream,
               AdamVariant variant) {
  const bool aligned =
      allows_four(params, 0) && allows_four(m, 0) && allows_four(v, 0) && allows_four(grads, 0);
  if (aligned) {
    launch_variant<true>(params, m, v, grads, count, scale, state, options, stream, variant);
  } else {
    launch_variant<false>(params, m, v, grads, count, scale, state, options, stream, variant);
  }
}

}  // namespace foxhunt
