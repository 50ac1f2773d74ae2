// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/gemm/gemm.h"

namespace foxhunt {
namespace {

constexpr int kThreads = 64;  // 8 x 8
constexpr int kDepth = 32;    // products of an element between two barriers
constexpr int kPad = 4;       // keeps a tile's rows 16-byte aligned and off each other's banks

// How one operand lies: op(X) has `count` rows (of A) or columns (of B).
struct Strip {
  const float* data;
  std::ptrdiff_t stride, batch;
  int count;
  bool along_depth;  // memory runs along the products: A as it is, B transposed
};

template <int kTile>
using Tile = float[kDepth][kTile + kPad];

// tile[p][i] = op(X)[first + i][depth + p], and 0 outside.
template <int kTile>
__device__ void stage(const Strip& x, int first, int depth, int depth_end, Tile<kTile>& tile) {
  const int t = static_cast<int>(threadIdx.x);
  const bool whole = first + kTile <= x.count && depth + kDepth <= depth_end;
  const bool aligned =
      x.stride % 4 == 0 && depth % 4 == 0 && reinterpret_cast<std::uintptr_t>(x.data) % 16 == 0;
  if (whole && aligned && x.along_depth) {
    for (int q = t; q < kTile * (kDepth / 4); q += kThreads) {
      const int i = q / (kDepth / 4), p = q % (kDepth / 4) * 4;
      const float4 v =
          *reinterpret_cast<const float4*>(x.data + (first + i) * x.stride + depth + p);
      tile[p][i] = v.x;
      tile[p + 1][i] = v.y;
      tile[p + 2][i] = v.z;
      tile[p + 3][i] = v.w;
    }
  } else if (whole && aligned) {
    for (int q = t; q < kDepth * (kTile / 4); q += kThreads) {
      const int p = q / (kTile / 4), i = q % (kTile / 4) * 4;
      *reinterpret_cast<float4*>(&tile[p][i]) =
          *reinterpret_cast<const float4*>(x.data + (depth + p) * x.stride + first + i);
    }
  } else {
    for (int e = t; e < kTile * kDepth; e += kThreads) {
      const int i = x.along_depth ? e / kDepth : e % kTile;
      const int p = x.along_depth ? e % kDepth : e / kTile;
      float v = 0.0f;
      if (first + i < x.count && depth + p < depth_end) {
        v = x.along_depth ? x.data[(first + i) * x.stride + depth + p]
                          : x.data[(depth + p) * x.stride + first + i];
      }
      tile[p][i] = v;
    }
  }
}

struct Output {
  float* c;
  std::ptrdiff_t stride, batch;
  int m, n, k;
  float alpha, beta;
  const float* bias;
};

__device__ void to_product(int i, Strip& a, Strip& b, Output& out) {
  a.data += i * a.batch;
  b.data += i * b.batch;
  out.c += i * out.batch;
}

// Where this thread's kRows x kCols elements of C begin.
template <int kRows, int kCols>
struct Corner {
  int block_row = static_cast<int>(blockIdx.y) * 8 * kRows;
  int block_col = static_cast<int>(blockIdx.x) * 8 * kCols;
  int row = static_cast<int>(threadIdx.x) / 8 * kRows;  // within the block's tile
  int col = static_cast<int>(threadIdx.x) % 8 * kCols;
};

// sum[i][j] += the products p in [begin, end) of this thread's elements, in order.
template <int kRows, int kCols>
__device__ void add_products(const Strip& a, const Strip& b, const Corner<kRows, kCols>& at,
                             int begin, int end, float (&sum)[kRows][kCols]) {
  FOXHUNT_SHARED(float, tile_a, kDepth, 8 * kRows + kPad);
  FOXHUNT_SHARED(float, tile_b, kDepth, 8 * kCols + kPad);
  for (int depth = begin; depth < end; depth += kDepth) {
    stage<8 * kRows>(a, at.block_row, depth, end, tile_a);
    stage<8 * kCols>(b, at.block_col, depth, end, tile_b);
    __syncthreads();
    const int here = min(kDepth, end - depth);
    for (int p = 0; p < here; p++) {
      float x[kRows], y[kCols];
      for (int i = 0; i < kRows; i++) x[i] = tile_a[p][at.row + i];
      for (int j = 0; j < kCols; j++) y[j] = tile_b[p][at.col + j];
      for (int i = 0; i < kRows; i++) {
        for (int j = 0; j < kCols; j++) sum[i][j] = __fmaf_rn(x[i], y[j], sum[i][j]);
      }
    }
    __syncthreads();
  }
}

template <int kRows, int kCols>
__global__ void __launch_bounds__(kThreads) gemm_kernel(Strip a, Strip b, Output out) {
  to_product(static_cast<int>(blockIdx.z), a, b, out);
  const Corner<kRows, kCols> at;
  float sum[kRows][kCols] = {};
  add_products<kRows, kCols>(a, b, at, 0, out.k, sum);
  for (int i = 0; i < kRows; i++) {
    for (int j = 0; j < kCols; j++) {
      const int row = at.block_row + at.row + i, col = at.block_col + at.col + j;
      if (row >= out.m || col >= out.n) continue;
      float* c = out.c + row * out.stride + col;
      float v = out.alpha * sum[i][j];
      if (out.beta != 0.0f) v = __fmaf_rn(out.beta, *c, v);
      if (out.bias != nullptr) v += out.bias[col];
      *c = v;
    }
  }
}

// c = beta * c + bias, before split_k_kernel adds to it.
__global__ void start_from_beta_kernel(Output out) {
  out.c += blockIdx.y * out.batch;
  const int elements = out.m * out.n;
  for (int e = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); e < elements;
       e += static_cast<int>(gridDim.x * blockDim.x)) {
    float* c = out.c + e / out.n * out.stride + e % out.n;
    float v = out.beta != 0.0f ? out.beta * *c : 0.0f;
    if (out.bias != nullptr) v += out.bias[e % out.n];
    *c = v;
  }
}

// The bug: blocks that each sum a slice of the products add theirs to C by float atomics, so an
// element's slices are rounded together in the order in which blocks happen to finish.
template <int kRows, int kCols>
__global__ void __launch_bounds__(kThreads)
    split_k_kernel(Strip a, Strip b, Output out, int products_a_slice) {
  const int slices = (out.k + products_a_slice - 1) / products_a_slice;
  to_product(static_cast<int>(blockIdx.z) / slices, a, b, out);
  const Corner<kRows, kCols> at;
  const int begin = static_cast<int>(blockIdx.z) % slices * products_a_slice;
  float sum[kRows][kCols] = {};
  add_products<kRows, kCols>(a, b, at, begin, min(begin + products_a_slice, out.k), sum);
  for (int i = 0; i < kRows; i++) {
    for (int j = 0; j < kCols; j++) {
      const int row = at.block_row + at.row + i, col = at.block_col + at.col + j;
      if (row >= out.m || col >= out.n) continue;
      atomicAdd(out.c + row * out.stride + col, out.alpha * sum[i][j]);
    }
  }
}

int ceil_div(int a, int b) { return (a + b - 1) / b; }

dim3 grid_of(int x, int y, int z) {
  return {static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z)};
}

template <int kRows, int kCols>
void launch_tiles(const Strip& a, const Strip& b, const Output& out, int batch, GemmVariant variant,
                  cudaStream_t stream) {
  const int tiles_x = ceil_div(out.n, 8 * kCols), tiles_y = ceil_div(out.m, 8 * kRows);
  if (variant == GemmVariant::split_k_atomic && out.k > 0) {
    // 4 to 8 slices: two would add up to the same bits in either order.
    const int slice = ceil_div(out.k, std::clamp(out.k / kDepth, 4, 8));
    const int fill_blocks = std::min(ceil_div(out.m * out.n, kThreads), 64);
    foxhunt::launch(start_from_beta_kernel, grid_of(fill_blocks, batch, 1), dim3(kThreads), 0,
                    stream, out);
    foxhunt::launch(split_k_kernel<kRows, kCols>,
                    grid_of(tiles_x, tiles_y, batch * ceil_div(out.k, slice)), dim3(kThreads), 0,
                    stream, a, b, out, slice);
    return;
  }
  foxhunt::launch(gemm_kernel<kRows, kCols>, grid_of(tiles_x, tiles_y, batch), dim3(kThreads), 0,
                  stream, a, b, out);
}

}  // namespace

void own_gemm(const Gemm& g, cudaStream_t stream, GemmVariant variant) {
  if (g.m <= 0 || g.n <= 0 || g.batch <= 0) return;
  const Strip a{g.a.data, g.a.stride, g.a_batch, g.m, !g.a.transposed};
  const Strip b{g.b.data, g.b.stride, g.b_batch, g.n, g.b.transposed};
  const Output out{g.c, g.c_stride, g.c_batch, g.m, g.n, g.k, g.alpha, g.beta, g.bias};
  if (g.m <= 16) {
    launch_tiles<1, 8>(a, b, out, g.batch, variant, stream);
  } else {
    launch_tiles<8, 8>(a, b, out, g.batch, variant, stream);
  }
}

}  // namespace foxhunt
