// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/gemm/gemm.h"

namespace foxhunt {
namespace {

constexpr int kThreads = 64;  // 8 x 8
constexpr int kSide = 8;      // a thread owns kSide x kSide elements of C
constexpr int kTile = 64;     // and so a block kTile x kTile
constexpr int kDepth = 32;    // products of an element between two barriers
constexpr int kPad = 4;       // keeps a tile's rows 16-byte aligned and off each other's banks

#if defined(__CUDACC__) || defined(__clang__)
#define FOXHUNT_UNROLL _Pragma("unroll")
#else
#define FOXHUNT_UNROLL _Pragma("GCC unroll 8")
#endif

// How one operand lies: op(X) has `count` rows (of A) or columns (of B).
struct Strip {
  const float* data;
  std::ptrdiff_t stride, batch;
  int count;
  bool along_depth;  // memory runs along the products: A as it is, B transposed
};

using Tile = float[kDepth][kTile + kPad];
struct alignas(16) AlignedTile {
  Tile rows;
};

// tile[p][i] = op(X)[first + i][depth + p] for p < products, and 0 for rows that X does not have.
__device__ void stage(const Strip& x, int first, int depth, int products, Tile& tile) {
  const int t = static_cast<int>(threadIdx.x);
  const float* from =
      x.data + (x.along_depth ? first * x.stride + depth : depth * x.stride + first);
  const bool in_quads = first + kTile <= x.count && x.stride % 4 == 0 &&
                        reinterpret_cast<std::uintptr_t>(from) % 16 == 0;
  if (in_quads && x.along_depth && products % 4 == 0) {
    const int p = t % (kDepth / 4) * 4;
    if (p >= products) return;
    for (int i = t / (kDepth / 4); i < kTile; i += kThreads / (kDepth / 4)) {
      const float4 v = *reinterpret_cast<const float4*>(from + i * x.stride + p);
      tile[p][i] = v.x;
      tile[p + 1][i] = v.y;
      tile[p + 2][i] = v.z;
      tile[p + 3][i] = v.w;
    }
  } else if (in_quads && !x.along_depth) {
    const int i = t % (kTile / 4) * 4;
    for (int p = t / (kTile / 4); p < products; p += kThreads / (kTile / 4)) {
      const float4 v = *reinterpret_cast<const float4*>(from + p * x.stride + i);
      *reinterpret_cast<float4*>(&tile[p][i]) = make_float4(v.x, v.y, v.z, v.w);
    }
  } else {
    for (int e = t; e < kTile * products; e += kThreads) {
      const int p = e / kTile, i = e % kTile;
      const bool inside = first + i < x.count;
      tile[p][i] = !inside ? 0.0f : x.along_depth ? from[i * x.stride + p] : from[p * x.stride + i];
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

// Where this thread's elements of C begin.
struct Corner {
  int block_row = static_cast<int>(blockIdx.y) * kTile;
  int block_col = static_cast<int>(blockIdx.x) * kTile;
  int row = static_cast<int>(threadIdx.x) / 8 * kSide;  // within the block's tile
  int col = static_cast<int>(threadIdx.x) % 8 * kSide;
};

__device__ void copy_sums(const float (&from)[kSide][kSide], float (&to)[kSide][kSide]) {
  for (int i = 0; i < kSide; i++) {
    for (int j = 0; j < kSide; j++) to[i][j] = from[i][j];
  }
}

// sum[i][j] += the products p in [begin, end) of this thread's elements, in order. A thread that
// has none of C's elements helps with the tiles only. The sums are local while products are added,
// so that a CPU's compiler knows the tiles to lie elsewhere, and makes vectors of them.
__device__ void add_products(const Strip& a, const Strip& b, const Corner& at, int begin, int end,
                             float (&sum)[kSide][kSide]) {
  const bool has_elements = at.block_row + at.row < a.count && at.block_col + at.col < b.count;
  FOXHUNT_SHARED(AlignedTile, tile_of_a);
  FOXHUNT_SHARED(AlignedTile, tile_of_b);
  Tile& tile_a = tile_of_a.rows;
  Tile& tile_b = tile_of_b.rows;
  for (int depth = begin; depth < end; depth += kDepth) {
    const int products = min(kDepth, end - depth);
    stage(a, at.block_row, depth, products, tile_a);
    stage(b, at.block_col, depth, products, tile_b);
    __syncthreads();
    if (has_elements) {
      float local[kSide][kSide];
      copy_sums(sum, local);
      for (int p = 0; p < products; p++) {
        const float* x = &tile_a[p][at.row];
        const float* y = &tile_b[p][at.col];
        FOXHUNT_UNROLL
        for (int i = 0; i < kSide; i++) {
          for (int j = 0; j < kSide; j++) local[i][j] = __fmaf_rn(x[i], y[j], local[i][j]);
        }
      }
      copy_sums(local, sum);
    }
    __syncthreads();
  }
}

// The first `width` elements of a row of C from their sums.
__device__ void store_row(const Output& out, int row, int col, int width,
                          const float (&sum)[kSide]) {
  float* c = out.c + row * out.stride + col;
  float v[kSide];
  for (int j = 0; j < kSide; j++) v[j] = out.alpha * sum[j];
  if (out.beta != 0.0f) {
    for (int j = 0; j < width; j++) v[j] = __fmaf_rn(out.beta, c[j], v[j]);
  }
  if (out.bias != nullptr) {
    for (int j = 0; j < width; j++) v[j] += out.bias[col + j];
  }
  if (width == kSide) {
    for (int j = 0; j < kSide; j++) c[j] = v[j];
  } else {
    for (int j = 0; j < width; j++) c[j] = v[j];
  }
}

__global__ void __launch_bounds__(kThreads) gemm_kernel(Strip a, Strip b, Output out) {
  to_product(static_cast<int>(blockIdx.z), a, b, out);
  const Corner at;
  float sum[kSide][kSide] = {};
  add_products(a, b, at, 0, out.k, sum);
  const int row = at.block_row + at.row, col = at.block_col + at.col;
  for (int i = 0; i < kSide; i++) {
    if (row + i < out.m && col < out.n) {
      store_row(out, row + i, col, min(kSide, out.n - col), sum[i]);
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
//
// Room for one block, and not more, keeps the sums in registers.
__global__ void __launch_bounds__(kThreads, 1)
    split_k_kernel(Strip a, Strip b, Output out, int products_a_slice) {
  const int slices = (out.k + products_a_slice - 1) / products_a_slice;
  to_product(static_cast<int>(blockIdx.z) / slices, a, b, out);
  const Corner at;
  const int begin = static_cast<int>(blockIdx.z) % slices * products_a_slice;
  float sum[kSide][kSide] = {};
  add_products(a, b, at, begin, min(begin + products_a_slice, out.k), sum);
  for (int i = 0; i < kSide; i++) {
    for (int j = 0; j < kSide; j++) {
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

}  // namespace

void own_gemm(const Gemm& g, cudaStream_t stream, GemmVariant variant) {
  if (g.m <= 0 || g.n <= 0 || g.batch <= 0) return;
  const Strip a{g.a.data, g.a.stride, g.a_batch, g.m, !g.a.transposed};
  const Strip b{g.b.data, g.b.stride, g.b_batch, g.n, g.b.transposed};
  const Output out{g.c, g.c_stride, g.c_batch, g.m, g.n, g.k, g.alpha, g.beta, g.bias};
  const int tiles_x = ceil_div(g.n, kTile), tiles_y = ceil_div(g.m, kTile);
  if (variant == GemmVariant::split_k_atomic && g.k > 0) {
    // 4 to 8 slices: two would add up to the same bits in either order.
    const int slice = ceil_div(g.k, std::clamp(g.k / kDepth, 4, 8));
    const int fill_blocks = std::min(ceil_div(g.m * g.n, kThreads), 64);
    foxhunt::launch(start_from_beta_kernel, grid_of(fill_blocks, g.batch, 1), dim3(kThreads), 0,
                    stream, out);
    foxhunt::launch(split_k_kernel, grid_of(tiles_x, tiles_y, g.batch * ceil_div(g.k, slice)),
                    dim3(kThreads), 0, stream, a, b, out, slice);
    return;
  }
  foxhunt::launch(gemm_kernel, grid_of(tiles_x, tiles_y, g.batch), dim3(kThreads), 0, stream, a, b,
                  out);
}

}  // namespace foxhunt
