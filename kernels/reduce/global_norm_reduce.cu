// SPDX-License-Identifier: MIT
#include "kernels/four.h"
#include "kernels/math/elementary.h"
#include "kernels/reduce/block_sum.h"
#include "kernels/reduce/global_norm_reduce.h"

namespace foxhunt {
namespace {

constexpr int kThreads = reduce::kBlockSumThreads;

// The sum of squares of chunk blockIdx.x. Each thread has four sums, of every 64th four.
template <bool kAligned>
__device__ float chunk_sum(const float* grads, int count) {
  const int chunk = static_cast<int>(blockIdx.x) * kGlobalNormChunk;
  float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  for (int i = static_cast<int>(threadIdx.x) * 4; i < kGlobalNormChunk; i += kThreads * 4) {
    const int valid = count - chunk - i;
    if (valid <= 0) break;
    const float4 g = load_four<kAligned>(grads + chunk + i, valid);
    sum.x = math::fma(g.x, g.x, sum.x);
    sum.y = math::fma(g.y, g.y, sum.y);
    sum.z = math::fma(g.z, g.z, sum.z);
    sum.w = math::fma(g.w, g.w, sum.w);
  }
  return reduce::block_sum((sum.x + sum.y) + (sum.z + sum.w));
}

template <bool kAligned>
__global__ void __launch_bounds__(kThreads)
    global_norm_chunks(const float* grads, int count, float* sums) {
  const float sum = chunk_sum<kAligned>(grads, count);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

// Wrong on purpose: chunks are added to the sum in whatever order their blocks finish.
template <bool kAligned>
__global__ void __launch_bounds__(kThreads)
    global_norm_float_atomics(const float* grads, int count, float* sum) {
  const float chunk = chunk_sum<kAligned>(grads, count);
  if (threadIdx.x == 0) atomicAdd(sum, chunk);
}

__global__ void __launch_bounds__(kThreads)
    global_norm_finish(const float* sums, int chunks, float max_norm, float* norm_and_scale) {
  float sum = 0.0f;
  for (int i = static_cast<int>(threadIdx.x); i < chunks; i += kThreads) sum += sums[i];
  sum = reduce::block_sum(sum);
  if (threadIdx.x != 0) return;
  const float norm = math::sqrt(sum);
  norm_and_scale[0] = norm;
  norm_and_scale[1] = norm <= max_norm ? 1.0f : math::div(max_norm, norm);
}

int chunks_of(int count) { return (count + kGlobalNormChunk - 1) / kGlobalNormChunk; }

template <bool kAligned>
int launch_sums(const float* grads, int count, float* sums, cudaStream_t stream,
                GlobalNormVariant variant) {
  const int chunks = chunks_of(count);
  const dim3 grid(static_cast<unsigned>(chunks));
  if (variant == GlobalNormVariant::float_atomics) {
    cudaMemsetAsync(sums, 0, sizeof(float), stream);
    if (chunks > 0) {
      launch(global_norm_float_atomics<kAligned>, grid, dim3(kThreads), 0, stream, grads, count,
             sums);
    }
    return 1;
  }
  if (chunks > 0) {
    launch(global_norm_chunks<kAligned>, grid, dim3(kThreads), 0, stream, grads, count, sums);
  }
  return chunks;
}

}  // namespace

void global_norm_reduce(const float* grads, int count, float max_norm, float* norm_and_scale,
                        void* workspace, cudaStream_t stream, GlobalNormVariant variant) {
  auto* sums = static_cast<float*>(workspace);
  const int partial_sums = allows_four(grads, 0)
                               ? launch_sums<true>(grads, count, sums, stream, variant)
                               : launch_sums<false>(grads, count, sums, stream, variant);
  launch(global_norm_finish, dim3(1), dim3(kThreads), 0, stream, sums, partial_sums, max_norm,
         norm_and_scale);
}

std::size_t global_norm_workspace(int count) {
  const int chunks = chunks_of(count);
  return static_cast<std::size_t>(chunks > 1 ? chunks : 1) * sizeof(float);
}

}  // namespace foxhunt
