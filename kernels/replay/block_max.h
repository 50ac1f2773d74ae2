// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/simt/dialect.h"

namespace foxhunt::replay {

// The largest of the values that a block of kThreads threads brings, in every thread; NaNs are
// passed over. Every thread of the block calls it together, once. Device code only.
template <int kThreads>
__device__ float block_max(float value) {
  FOXHUNT_SHARED(float, values, kThreads);
  values[threadIdx.x] = value;
  __syncthreads();
  float largest = values[0];
  for (int i = 1; i < kThreads; ++i) largest = values[i] > largest ? values[i] : largest;
  return largest;
}

}  // namespace foxhunt::replay
