// SPDX-License-Identifier: MIT
#include "kernels/four.h"
#include "kernels/math/elementary.h"
#include "kernels/update/target_update.h"

namespace foxhunt {
namespace {

constexpr int kThreads = 64, kFours = 4;  // 16 elements a thread
constexpr int kBlockElements = kThreads * kFours * 4;

__device__ float moved(float param, float target, float tau) {
  return math::fma(tau, math::add(param, -target), target);
}

template <bool kAligned>
__global__ void __launch_bounds__(kThreads)
    target_update_kernel(const float* params, float* target, int count, float tau) {
  const int begin = static_cast<int>(blockIdx.x) * kBlockElements;
  for (int k = 0; k < kFours; ++k) {
    const int i = begin + (k * kThreads + static_cast<int>(threadIdx.x)) * 4;
    const int valid = count - i;
    if (valid <= 0) return;
    const float4 p = load_four<kAligned>(params + i, valid);
    const float4 t = load_four<kAligned>(target + i, valid);
    store_four<kAligned>(target + i,
                         make_float4(moved(p.x, t.x, tau), moved(p.y, t.y, tau),
                                     moved(p.z, t.z, tau), moved(p.w, t.w, tau)),
                         valid);
  }
}

}  // namespace

void target_update(const float* params, float* target, int count, float tau, cudaStream_t stream) {
  if (count == 0) return;
  const dim3 grid(static_cast<unsigned>((count + kBlockElements - 1) / kBlockElements));
  const bool aligned = allows_four(params, 0) && allows_four(target, 0);
  launch(aligned ? target_update_kernel<true> : target_update_kernel<false>, grid, dim3(kThreads),
         0, stream, params, target, count, tau);
}

}  // namespace foxhunt
