// SPDX-License-Identifier: MIT
#pragma once

// Device code. The one way in which the heads multiply matrices that are too small for
// kernels/gemm, or whose operands are computed on the fly.
#include "kernels/four.h"
#include "kernels/math/portable.h"
#include "kernels/simt/dialect.h"

namespace foxhunt::heads {

inline constexpr int kThreads = 64;

// The thread's number in a one-dimensional grid.
__device__ inline int thread_number() {
  return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

// Blocks of kThreads for `threads` threads; 0 for none.
inline unsigned blocks_for(int threads) {
  return static_cast<unsigned>((threads + kThreads - 1) / kThreads);
}

// A row's four floats from `from` on; `aligned` where allows_four says so.
__device__ inline float4 four_of(const float* from, int valid, bool aligned) {
  return aligned ? load_four<true>(from, valid) : load_four<false>(from, valid);
}
__device__ inline void put_four(float* to, float4 values, int valid, bool aligned) {
  aligned ? store_four<true>(to, values, valid) : store_four<false>(to, values, valid);
}

// Element by element; each one rounding.
__device__ inline float4 fma_four(float factor, float4 four, float4 sum) {
  return make_float4(math::fma(factor, four.x, sum.x), math::fma(factor, four.y, sum.y),
                     math::fma(factor, four.z, sum.z), math::fma(factor, four.w, sum.w));
}

__device__ inline float4 fma_each(float4 a, float4 b, float4 c) {
  return make_float4(math::fma(a.x, b.x, c.x), math::fma(a.y, b.y, c.y), math::fma(a.z, b.z, c.z),
                     math::fma(a.w, b.w, c.w));
}
__device__ inline float4 scale_four(float factor, float4 four) {
  return make_float4(math::mul(factor, four.x), math::mul(factor, four.y),
                     math::mul(factor, four.z), math::mul(factor, four.w));
}
__device__ inline float4 mul_each(float4 a, float4 b) {
  return make_float4(math::mul(a.x, b.x), math::mul(a.y, b.y), math::mul(a.z, b.z),
                     math::mul(a.w, b.w));
}

// of(0) to of(3), and 0 from `valid` on.
template <class Of>
__device__ float4 four_from(Of of, int valid) {
  return make_float4(valid > 0 ? of(0) : 0.0f, valid > 1 ? of(1) : 0.0f, valid > 2 ? of(2) : 0.0f,
                     valid > 3 ? of(3) : 0.0f);
}

// A thread's rows; its columns are four.
inline constexpr int kTileRows = 4;

// How many threads tile_product needs.
inline int tile_threads(int rows, int cols) {
  return ((rows + kTileRows - 1) / kTileRows) * ((cols + 3) / 4);
}

// For r < rows and c < cols, with sum(r, c) = sum over p < depth of left(r, p) * right(p, c):
//
//   left(r, p)                returns a factor
//   right(p, c, valid)        returns those of columns c to c + 3, of which the first `valid` count
//   store(r, c, sums, valid)  is given sum(r, c) to sum(r, c + 3), likewise
//
// A thread owns kTileRows rows of four neighbouring sums, in registers. Each sum starts at +0 and
// takes its products by ascending p, one fused multiply-add each, as kernels/gemm does: neither the
// tile nor the schedule changes a bit, and no thread waits for another.
template <class Left, class Right, class Store>
__device__ void tile_product(int rows, int cols, int depth, Left left, Right right, Store store) {
  const int across = (cols + 3) / 4, tile = thread_number();
  if (across == 0 || tile >= across * ((rows + kTileRows - 1) / kTileRows)) return;
  const int r0 = tile / across * kTileRows, c0 = tile % across * 4, valid = cols - c0;
  float4 sum[kTileRows] = {};
  for (int p = 0; p < depth; ++p) {
    const float4 four = right(p, c0, valid);
    for (int i = 0; i < kTileRows; ++i) {
      // Beyond the last row that one is computed again, and not stored.
      sum[i] = fma_four(left(r0 + i < rows ? r0 + i : rows - 1, p), four, sum[i]);
    }
  }
  for (int i = 0; i < kTileRows && r0 + i < rows; ++i) store(r0 + i, c0, sum[i], valid);
}

}  // namespace foxhunt::heads
