// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/simt/dialect.h"

namespace foxhunt::reduce {

inline constexpr int kBlockSumThreads = 64;

// The sum of the values that a block of kBlockSumThreads threads brings, in every thread: eight
// sums of eight, then their sum, an order made of thread numbers only. Every thread of the block
// calls it together; it may be called again at once. Device code only.
__device__ inline float block_sum(float value) {
  FOXHUNT_SHARED(float, values, 8, 8);
  FOXHUNT_SHARED(float, eighths, 8);
  const int thread = static_cast<int>(threadIdx.x);
  const auto sum_of_eight = [](const float* v) {
    return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
  };
  values[thread / 8][thread % 8] = value;
  __syncthreads();
  if (thread < 8) eighths[thread] = sum_of_eight(values[thread]);
  __syncthreads();
  return sum_of_eight(eighths);
}

}  // namespace foxhunt::reduce
