// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "kernels/simt/dialect.h"

namespace foxhunt {

// Four neighbouring floats of a row at a time: 16-byte accesses where they can be had, and the same
// values in the same order where not. Device code only.
//
// kAligned  every address given is a multiple of 16 bytes
// valid     how many of the four belong to the row; the others read as 0 and are not written

// Whether rows of `cols` floats that begin at `pointer` allow it; null allows everything. Host code
// may ask too.
__host__ __device__ inline bool allows_four(const void* pointer, int cols) {
  return reinterpret_cast<std::uintptr_t>(pointer) % 16 == 0 && cols % 4 == 0;
}

template <bool kAligned>
__device__ inline float4 load_four(const float* from, int valid) {
  if (kAligned && valid >= 4) return *reinterpret_cast<const float4*>(from);
  return make_float4(valid > 0 ? from[0] : 0.0f, valid > 1 ? from[1] : 0.0f,
                     valid > 2 ? from[2] : 0.0f, valid > 3 ? from[3] : 0.0f);
}

template <bool kAligned>
__device__ inline void store_four(float* to, float4 values, int valid) {
  if (kAligned && valid >= 4) {
    *reinterpret_cast<float4*>(to) = values;
    return;
  }
  if (valid > 0) to[0] = values.x;
  if (valid > 1) to[1] = values.y;
  if (valid > 2) to[2] = values.z;
  if (valid > 3) to[3] = values.w;
}

__device__ inline float4 add_four(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

}  // namespace foxhunt
