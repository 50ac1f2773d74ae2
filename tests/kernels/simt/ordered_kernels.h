// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/simt/dialect.h"

// Kernels whose results depend on the schedule, in ways that are told apart.

namespace foxhunt::simt_test {

// Each of 128 threads takes the next of 256 slots and writes who it is.
void arrivals(unsigned* head, unsigned* slots, cudaStream_t stream);

}  // namespace foxhunt::simt_test
