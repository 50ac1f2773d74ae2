// SPDX-License-Identifier: MIT
#include "kernels/four.h"
#include "kernels/math/elementary.h"
#include "kernels/stream_order.h"
#include "kernels/update/grad_h_accumulate_scaled.h"

namespace foxhunt {
namespace {

constexpr int kThreads = 64;

template <bool kAligned>
__global__ void __launch_bounds__(kThreads)
    accumulate(HeadGradients gradients, int count, const float* lambda, float* combined) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x) * 4;
  const int valid = count - i;
  if (valid <= 0) return;
  float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  for (int head = 0; head < kGradHHeads; ++head) {
    const float weight = lambda[head];
    const float4 g = load_four<kAligned>(gradients.head[head] + i, valid);
    sum.x = math::fma(weight, g.x, sum.x);
    sum.y = math::fma(weight, g.y, sum.y);
    sum.z = math::fma(weight, g.z, sum.z);
    sum.w = math::fma(weight, g.w, sum.w);
  }
  store_four<kAligned>(combined + i, sum, valid);
}

// Wrong on purpose: each head (blockIdx.y) adds its share to the sum whenever it arrives.
template <bool kAligned>
__global__ void __launch_bounds__(kThreads)
    accumulate_float_atomics(HeadGradients gradients, int count, const float* lambda,
                             float* combined) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x) * 4;
  const int valid = count - i;
  if (valid <= 0) return;
  const int head = static_cast<int>(blockIdx.y);
  const float weight = lambda[head];
  const float4 g = load_four<kAligned>(gradients.head[head] + i, valid);
  atomicAdd(combined + i, math::mul(weight, g.x));
  if (valid > 1) atomicAdd(combined + i + 1, math::mul(weight, g.y));
  if (valid > 2) atomicAdd(combined + i + 2, math::mul(weight, g.z));
  if (valid > 3) atomicAdd(combined + i + 3, math::mul(weight, g.w));
}

template <bool kAligned>
void launch_variant(const HeadGradients& gradients, int count, const float* lambda, float* combined,
                    cudaStream_t stream, GradHAccumulateVariant variant) {
  const auto blocks = static_cast<unsigned>((count + kThreads * 4 - 1) / (kThreads * 4));
  if (variant == GradHAccumulateVariant::float_atomics) {
    cudaMemsetAsync(combined, 0, static_cast<std::size_t>(count) * sizeof(float), stream);
    launch(accumulate_float_atomics<kAligned>, dim3(blocks, kGradHHeads), dim3(kThreads), 0, stream,
           gradients, count, lambda, combined);
  } else {
    launch(accumulate<kAligned>, dim3(blocks), dim3(kThreads), 0, stream, gradients, count, lambda,
           combined);
  }
}

}  // namespace

void grad_h_accumulate_scaled(const HeadGradients& gradients, int count, const float* host_lambda,
                              float* lambda, float* combined, cudaStream_t stream,
                              cudaStream_t copy_stream, GradHAccumulateVariant variant) {
  wait_for(copy_stream, stream);
  cudaMemcpyAsync(lambda, host_lambda, kGradHHeads * sizeof(float), cudaMemcpyHostToDevice,
                  copy_stream);
  // Wrong on purpose in stale_lambda: nothing makes the sum wait for the weights, so it may be
  // built from those of the call before.
  if (variant != GradHAccumulateVariant::stale_lambda) wait_for(stream, copy_stream);
  if (count == 0) return;
  bool aligned = allows_four(combined, 0);
  for (const float* head : gradients.head) aligned = aligned && allows_four(head, 0);
  if (aligned) {
    launch_variant<true>(gradients, count, lambda, combined, stream, variant);
  } else {
    launch_variant<false>(gradients, count, lambda, combined, stream, variant);
  }
}

}  // namespace foxhunt
