// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "kernels/four.h"

namespace foxhunt::replay {

inline constexpr int kCopyThreads = 64;

// Copies `count` floats with all threads of the block.
__device__ inline void copy_row(const float* from, int count, float* to) {
  const int thread = static_cast<int>(threadIdx.x);
  if (allows_four(from, count) && allows_four(to, count)) {
    for (int i = 4 * thread; i < count; i += 4 * kCopyThreads) {
      store_four<true>(to + i, load_four<true>(from + i, 4), 4);
    }
  } else {
    for (int i = thread; i < count; i += kCopyThreads) to[i] = from[i];
  }
}

__device__ inline std::ptrdiff_t row_offset(int row, int width) {
  return static_cast<std::ptrdiff_t>(row) * width;
}

}  // namespace foxhunt::replay
