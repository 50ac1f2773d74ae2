// SPDX-License-Identifier: MIT
#pragma once

// Inner to the reductions over rows: how one block of kRowSumThreads threads sums rows of a matrix
// for a tile of kRowSumColumns neighbouring columns. Device code only.
#include <cstddef>

#include "kernels/four.h"
#include "kernels/simt/dialect.h"

namespace foxhunt::reduce {

inline constexpr int kRowSumSlices = 8, kRowSumColumns = 32;
inline constexpr int kRowSumThreads = kRowSumSlices * kRowSumColumns / 4;

// The sum over rows [first, last) of one column, in every thread whose index is below
// kRowSumColumns and whose column is below `cols`. Slice s adds rows first + s, first + s + 8, ...
// one after the other, and a tree joins the eight slices: an order made of nothing but the row
// numbers. The whole block must call it together, once.
template <bool kAligned>
__device__ float row_sum(const float* matrix, int first, int last, int cols, int tile) {
  FOXHUNT_SHARED(float, partial, kRowSumSlices, kRowSumColumns);
  const int thread = static_cast<int>(threadIdx.x);
  const int slice = thread / (kRowSumColumns / 4);
  const int within = thread % (kRowSumColumns / 4) * 4;
  const int column = tile * kRowSumColumns + within;
  const int valid = cols - column;
  float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  if (valid > 0) {
    for (int row = first + slice; row < last; row += kRowSumSlices) {
      const float* from = matrix + static_cast<std::ptrdiff_t>(row) * cols + column;
      sum = add_four(sum, load_four<kAligned>(from, valid));
    }
  }
  store_four<false>(&partial[slice][within], sum, 4);
  __syncthreads();
  if (thread >= kRowSumColumns) return 0.0f;
  const auto pair = [&](int s) { return partial[s][thread] + partial[s + 1][thread]; };
  return (pair(0) + pair(2)) + (pair(4) + pair(6));
}

}  // namespace foxhunt::reduce
