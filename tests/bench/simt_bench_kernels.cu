// SPDX-License-Identifier: MIT
#include "tests/bench/simt_bench_kernels.h"

namespace foxhunt::bench {
namespace {

constexpr unsigned kAll = 0xffffffffu;

__global__ void elementwise_kernel(const float* in, int n, float* out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] = 2 * in[i] + 1;
}

__global__ void elementwise_strided_kernel(const float* in, int n, float* out) {
  const int stride = static_cast<int>(gridDim.x * blockDim.x);
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += stride) {
    out[i] = 2 * in[i] + 1;
  }
}

__global__ void elementwise_by_four_kernel(const float4* in, int n, float4* out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  const float4 v = in[i];
  out[i] = make_float4(2 * v.x + 1, 2 * v.y + 1, 2 * v.z + 1, 2 * v.w + 1);
}

__global__ void elementwise_by_four_strided_kernel(const float4* in, int n, float4* out) {
  const int stride = static_cast<int>(gridDim.x * blockDim.x);
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += stride) {
    const float4 v = in[i];
    out[i] = make_float4(2 * v.x + 1, 2 * v.y + 1, 2 * v.z + 1, 2 * v.w + 1);
  }
}

__global__ void barriers_kernel(int times) {
  for (int i = 0; i < times; ++i) __syncthreads();
}

__device__ float block_sum(float value, float* partial) {
  for (unsigned half = 16; half > 0; half /= 2)
    value += __shfl_xor_sync(kAll, value, static_cast<int>(half));
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  const float sum = partial[0] + partial[1];
  __syncthreads();
  return sum;
}

__global__ void __launch_bounds__(64)
    layer_norm_backward_kernel(const float* x, const float* dy, const float* gain, int columns,
                               float* dx) {
  FOXHUNT_SHARED(float, partial, 2);
  const int t = static_cast<int>(threadIdx.x), row = static_cast<int>(blockIdx.x) * columns;
  const float scale = 1.0f / static_cast<float>(columns);
  float sum = 0, squares = 0;
  for (int i = t; i < columns; i += 64) sum += x[row + i];
  const float mean = block_sum(sum, partial) * scale;
  for (int i = t; i < columns; i += 64) squares += (x[row + i] - mean) * (x[row + i] - mean);
  const float inverse = 1.0f / __fsqrt_rn(block_sum(squares, partial) * scale + 1e-5f);
  float gradient = 0, projection = 0;
  for (int i = t; i < columns; i += 64) {
    const float g = dy[row + i] * gain[i];
    gradient += g;
    projection += g * (x[row + i] - mean) * inverse;
  }
  const float mean_gradient = block_sum(gradient, partial) * scale;
  const float mean_projection = block_sum(projection, partial) * scale;
  for (int i = t; i < columns; i += 64) {
    const float normal = (x[row + i] - mean) * inverse;
    dx[row + i] = inverse * (dy[row + i] * gain[i] - mean_gradient - normal * mean_projection);
  }
}

// The sum over the 8 lanes of a row.
__device__ float row_sum(float value) {
  for (int half = 4; half > 0; half /= 2) value += __shfl_xor_sync(kAll, value, half, 8);
  return value;
}

__global__ void __launch_bounds__(64)
    layer_norm_backward_by_lanes_kernel(const float* x, const float* dy, const float* gain,
                                        int columns, float* dx) {
  const int lane = static_cast<int>(threadIdx.x % 8);
  const int row = static_cast<int>(blockIdx.x * 8 + threadIdx.x / 8) * columns;
  const float scale = 1.0f / static_cast<float>(columns);
  float sum = 0, squares = 0;
  for (int i = lane; i < columns; i += 8) sum += x[row + i];
  const float mean = row_sum(sum) * scale;
  for (int i = lane; i < columns; i += 8) squares += (x[row + i] - mean) * (x[row + i] - mean);
  const float inverse = 1.0f / __fsqrt_rn(row_sum(squares) * scale + 1e-5f);
  float gradient = 0, projection = 0;
  for (int i = lane; i < columns; i += 8) {
    const float g = dy[row + i] * gain[i];
    gradient += g;
    projection += g * (x[row + i] - mean) * inverse;
  }
  const float mean_gradient = row_sum(gradient) * scale;
  const float mean_projection = row_sum(projection) * scale;
  for (int i = lane; i < columns; i += 8) {
    const float normal = (x[row + i] - mean) * inverse;
    dx[row + i] = inverse * (dy[row + i] * gain[i] - mean_gradient - normal * mean_projection);
  }
}

// Each of 64 threads holds 8 x 8 outputs.
__global__ void __launch_bounds__(64) gemm_kernel(const float* a, const float* b, int n, float* c) {
  constexpr int kTile = 64, kDepth = 16;
  FOXHUNT_SHARED(float, tile_a, kDepth, kTile);
  FOXHUNT_SHARED(float, tile_b, kDepth, kTile);
  const int t = static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(blockIdx.y) * kTile,
            column = static_cast<int>(blockIdx.x) * kTile;
  const int my_row = t / 8 * 8, my_column = t % 8 * 8;
  float sums[8][8] = {};
  for (int depth = 0; depth < n; depth += kDepth) {
    for (int k = 0; k < kDepth; ++k) {
      tile_a[k][t] = a[(row + t) * n + depth + k];
      tile_b[k][t] = b[(depth + k) * n + column + t];
    }
    __syncthreads();
    for (int k = 0; k < kDepth; ++k) {
      float right[8];
      for (int j = 0; j < 8; ++j) right[j] = tile_b[k][my_column + j];
      for (int i = 0; i < 8; ++i) {
        const float left = tile_a[k][my_row + i];
        for (int j = 0; j < 8; ++j) sums[i][j] = __fmaf_rn(left, right[j], sums[i][j]);
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) c[(row + my_row + i) * n + column + my_column + j] = sums[i][j];
  }
}

__global__ void nothing_kernel() {}

unsigned blocks_for(int n, int size) { return static_cast<unsigned>((n + size - 1) / size); }

}  // namespace

void elementwise(const float* in, int n, float* out) {
  launch(elementwise_kernel, blocks_for(n, 64), 64, 0, nullptr, in, n, out);
}
void elementwise_strided(const float* in, int n, float* out) {
  launch(elementwise_strided_kernel, 4, 64, 0, nullptr, in, n, out);
}
void elementwise_by_four(const float* in, int n, float* out) {
  launch(elementwise_by_four_kernel, blocks_for(n / 4, 64), 64, 0, nullptr,
         reinterpret_cast<const float4*>(in), n / 4, reinterpret_cast<float4*>(out));
}
void elementwise_by_four_strided(const float* in, int n, float* out) {
  launch(elementwise_by_four_strided_kernel, 4, 64, 0, nullptr, reinterpret_cast<const float4*>(in),
         n / 4, reinterpret_cast<float4*>(out));
}
void barriers(int blocks, int times) {
  launch(barriers_kernel, static_cast<unsigned>(blocks), 256, 0, nullptr, times);
}
void layer_norm_backward(const float* x, const float* dy, const float* gain, int rows, int columns,
                         float* dx) {
  launch(layer_norm_backward_kernel, static_cast<unsigned>(rows), 64, 0, nullptr, x, dy, gain,
         columns, dx);
}
void layer_norm_backward_by_lanes(const float* x, const float* dy, const float* gain, int rows,
                                  int columns, float* dx) {
  launch(layer_norm_backward_by_lanes_kernel, static_cast<unsigned>(rows / 8), 64, 0, nullptr, x,
         dy, gain, columns, dx);
}
void gemm(const float* a, const float* b, int n, float* c) {
  launch(gemm_kernel, dim3(blocks_for(n, 64), blocks_for(n, 64)), 64, 0, nullptr, a, b, n, c);
}
void nothing(int threads) { launch(nothing_kernel, 1, static_cast<unsigned>(threads), 0, nullptr); }

}  // namespace foxhunt::bench
