// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/simt/dialect.h"

namespace foxhunt::test {

inline constexpr int kCaptureFloats = 1000;  // of each buffer below

// out[i] = value + i, by several blocks, some elements in two goes with a barrier between.
void fill_ramp(float* out, float value, cudaStream_t stream);
// out[i] = in[i] + 1
void add_one(const float* in, float* out, cudaStream_t stream);

// Three defects, each with another cause for bits that depend on the schedule.
//
// sums[0..3] += in, a float atomic each
void sum_as_they_come(const float* in, float* sums, cudaStream_t stream);
// out[i] = what shared memory happens to hold
void read_what_was_not_written(float* out, cudaStream_t stream);
// sum[0] = the sum of in, by the last block of several, which nothing makes see the others' parts.
// parts: 16 floats, ticket: 0
void sum_without_fence(const float* in, float* parts, unsigned* ticket, float* sum,
                       cudaStream_t stream);

}  // namespace foxhunt::test
