// SPDX-License-Identifier: MIT
#include "tests/kernels/simt/dialect_kernels.h"

namespace foxhunt::simt_test {
namespace {

constexpr unsigned kAll = 0xffffffffu;

__global__ void scale_kernel(const float* in, int n, float* out) {
  const int stride = static_cast<int>(gridDim.x * blockDim.x);
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += stride) {
    out[i] = 2 * in[i] + 1;
  }
}

__global__ void number_kernel(int rows, int columns, int* out) {
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row < rows && column < columns) out[row * columns + column] = row * columns + column;
}

__global__ void __launch_bounds__(64) tree_sum_kernel(const float* in, float* sums) {
  FOXHUNT_SHARED(float, partial, 64);
  const unsigned t = threadIdx.x;
  partial[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  for (unsigned half = 32; half > 0; half /= 2) {
    if (t < half) partial[t] += partial[t + half];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = partial[0];
}

__global__ void __launch_bounds__(64) warp_sum_kernel(const float* in, float* sums) {
  FOXHUNT_DYNAMIC_SHARED(float, partial);
  const unsigned t = threadIdx.x;
  float sum = in[blockIdx.x * 64 + t];
  for (unsigned half = 16; half > 0; half /= 2) sum += __shfl_down_sync(kAll, sum, half);
  if (t % 32 == 0) partial[t / 32] = sum;
  __syncthreads();
  if (t == 0) sums[blockIdx.x] = partial[0] + partial[1];
}

__global__ void collectives_kernel(unsigned* out) {
  const unsigned t = threadIdx.x;
  unsigned* mine = out + t * 12;
  mine[0] = __ballot_sync(kAll, t % 3 == 0);
  mine[1] = static_cast<unsigned>(__any_sync(kAll, t == 5));
  mine[2] = static_cast<unsigned>(__all_sync(kAll, t < 64));
  mine[3] = __shfl_sync(kAll, t, 3, 8);
  mine[4] = __shfl_up_sync(kAll, t, 2, 16);
  mine[5] = __shfl_xor_sync(kAll, t, 5);
  mine[6] = __match_any_sync(kAll, t % 4);
  mine[7] = static_cast<unsigned>(__syncthreads_or(t == 40));
  mine[8] = static_cast<unsigned>(__syncthreads_and(t != 40));
  mine[9] = static_cast<unsigned>(__syncthreads_count(t % 2 == 0));
  mine[10] = static_cast<unsigned>(__shfl_sync(kAll, 1.5 * t, 7) * 2);
  mine[11] = t % 2 == 0 ? __ballot_sync(0x55555555u, 1) : __ballot_sync(0xaaaaaaaau, t % 32 > 15);
}

__global__ void atomics_kernel(unsigned* cells, float* sum, double* wide_sum,
                               unsigned long long* count) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&cells[0], t);
  atomicSub(&cells[1], 1u);
  atomicMin(&cells[2], 1000 - t);
  atomicMax(&cells[3], t);
  atomicOr(&cells[4], 1u << (t % 32));
  atomicAnd(&cells[5], ~(1u << (t % 8)));
  atomicXor(&cells[6], t);
  atomicInc(&cells[7], 9);
  atomicDec(&cells[8], 9);
  atomicExch(&cells[9], 77u);
  if (atomicCAS(&cells[10], 0u, t + 1) == 0) atomicAdd(&cells[11], 1u);
  atomicAdd(sum, 1.0f);
  atomicAdd(wide_sum, 0.5);
  atomicAdd(count, 3ull);
}

}  // namespace

void scale(const float* in, int n, float* out, cudaStream_t stream) {
  launch(scale_kernel, 4, 64, 0, stream, in, n, out);
}

void number(int rows, int columns, int* out, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>(columns + 7) / 8, static_cast<unsigned>(rows + 3) / 4);
  launch(number_kernel, grid, dim3(8, 4), 0, stream, rows, columns, out);
}

void tree_sum(const float* in, int blocks, float* sums, cudaStream_t stream) {
  launch(tree_sum_kernel, static_cast<unsigned>(blocks), 64, 0, stream, in, sums);
}

void warp_sum(const float* in, int blocks, float* sums, cudaStream_t stream) {
  launch(warp_sum_kernel, static_cast<unsigned>(blocks), 64, 2 * sizeof(float), stream, in, sums);
}

void collectives(unsigned* out, cudaStream_t stream) {
  launch(collectives_kernel, 1, 64, 0, stream, out);
}

void atomics(unsigned* cells, float* sum, double* wide_sum, unsigned long long* count,
             cudaStream_t stream) {
  launch(atomics_kernel, 4, 64, 0, stream, cells, sum, wide_sum, count);
}

}  // namespace foxhunt::simt_test
