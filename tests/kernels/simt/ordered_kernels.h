// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/simt/dialect.h"

// Kernels whose results depend on the schedule, in ways that are told apart.

namespace foxhunt::simt_test {

// Each of 128 threads takes the next of 256 slots and writes who it is.
void arrivals(unsigned* head, unsigned* slots, cudaStream_t stream);

// 5 blocks of 100 threads: some end at once, some wait for lanes of their warp, some for their
// block. Each writes its number when it begins and when it has waited, in the order in which that
// happens; `head` counts them.
void some_wait(unsigned* head, unsigned* order, cudaStream_t stream);

// Of blocks of 128 threads, the last four of each count the flag up one after the other, each when
// it sees its turn; all others spin until all have: out[i] = 1 for each. `flag` holds 0.
void many_wait_for_few(int blocks, int* flag, int* out, cudaStream_t stream);

}  // namespace foxhunt::simt_test
