// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/simt/dialect.h"

namespace foxhunt::simt_test {

// out[i] = 2 * in[i] + 1
void scale(const float* in, int n, float* out, cudaStream_t stream);

// out[row, column] of a 2-D grid: row * columns + column, by blocks of 8 x 4
void number(int rows, int columns, int* out, cudaStream_t stream);

// sums[b] = sum of in[64 * b ... 64 * b + 63], by a tree in shared memory
void tree_sum(const float* in, int blocks, float* sums, cudaStream_t stream);
// the same in dynamic shared memory and with shuffles
void warp_sum(const float* in, int blocks, float* sums, cudaStream_t stream);

// What each collective gives to each of 64 threads: 12 words each
void collectives(unsigned* out, cudaStream_t stream);
// The end of a cell after all threads used each atomic: 12 words
void atomics(unsigned* cells, float* sum, double* wide_sum, unsigned long long* count,
             cudaStream_t stream);

}  // namespace foxhunt::simt_test
