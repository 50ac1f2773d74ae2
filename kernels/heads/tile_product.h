// SPDX-License-Identifier: MIT
#pragma once

// Device code. The one way in which the heads multiply matrices that are too small for
// kernels/gemm, or whose operands are computed on the fly.
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

// How many threads tile_product<kRows, kCols> needs.
template <int kRows, int kCols>
int tile_threads(int rows, int cols) {
  return ((rows + kRows - 1) / kRows) * ((cols + kCols - 1) / kCols);
}

// Calls store(r, c, sum over p of left(r, p) * right(p, c)) for r < rows, c < cols, p < depth.
//
// A thread owns kRows x kCols neighbouring sums and holds them in registers. Each starts at +0 and
// takes its products by ascending p, one fused multiply-add each, as kernels/gemm does: neither the
// tile nor the schedule changes a bit, and no thread waits for another.
template <int kRows, int kCols, class Left, class Right, class Store>
__device__ void tile_product(int rows, int cols, int depth, Left left, Right right, Store store) {
  const int across = (cols + kCols - 1) / kCols;
  const int tile = thread_number();
  if (across == 0 || tile >= across * ((rows + kRows - 1) / kRows)) return;
  const int r0 = tile / across * kRows, c0 = tile % across * kCols;
  // A tile over the edge computes its last row or column several times and stores it once.
  const auto row = [&](int i) { return r0 + i < rows ? r0 + i : rows - 1; };
  const auto col = [&](int j) { return c0 + j < cols ? c0 + j : cols - 1; };
  float sum[kRows][kCols] = {};
  for (int p = 0; p < depth; ++p) {
    float l[kRows], r[kCols];
    for (int i = 0; i < kRows; ++i) l[i] = left(row(i), p);
    for (int j = 0; j < kCols; ++j) r[j] = right(p, col(j));
    for (int i = 0; i < kRows; ++i) {
      for (int j = 0; j < kCols; ++j) sum[i][j] = math::fma(l[i], r[j], sum[i][j]);
    }
  }
  for (int i = 0; i < kRows && r0 + i < rows; ++i) {
    for (int j = 0; j < kCols && c0 + j < cols; ++j) store(r0 + i, c0 + j, sum[i][j]);
  }
}

}  // namespace foxhunt::heads
