// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/simt/dialect.h"

// One block adds n numbers into *sum in the order of their indices.
void sum_in_order(const float* in, int n, float* sum, cudaStream_t stream);
// n threads do, in the order in which they come.
void sum_by_atomics(const float* in, int n, float* sum, cudaStream_t stream);
