// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/simt/dialect.h"

// Kernels of the usual shapes, to time the executor with.

namespace foxhunt::bench {

// One element a thread, blocks of 64; and in a grid-stride loop of 4 such blocks.
void elementwise(const float* in, int n, float* out);
void elementwise_strided(const float* in, int n, float* out);
// The same by loads of 16 bytes (n a multiple of 4).
void elementwise_by_four(const float* in, int n, float* out);
void elementwise_by_four_strided(const float* in, int n, float* out);
// `blocks` blocks of 256 threads that do nothing but wait for each other.
void barriers(int blocks, int times);
// dx of a layer norm over `columns` (a multiple of 64), a block of 64 threads per row.
void layer_norm_backward(const float* x, const float* dy, const float* gain, int rows, int columns,
                         float* dx);
// The same with 8 lanes per row, and 8 rows a block (rows a multiple of 8).
void layer_norm_backward_by_lanes(const float* x, const float* dy, const float* gain, int rows,
                                  int columns, float* dx);
// c[n, n] = a[n, n] b[n, n], 64 x 64 outputs a block of 64 threads (n a multiple of 64).
void gemm(const float* a, const float* b, int n, float* c);
void nothing(int threads);

}  // namespace foxhunt::bench
