// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/simt/dialect.h"

// Kernels that go wrong for some values of `index`, and the lines at which they do.

namespace foxhunt::simt_test {

// memory[index] = 1
void store_at(int* memory, int index, cudaStream_t stream);
int line_of_store_at();
// The same in 16 words of shared memory.
void store_at_shared(int* memory, int index, cudaStream_t stream);
int line_of_store_at_shared();
// memory[0] = 1 << index
void shift_by(int* memory, int index, cudaStream_t stream);
int line_of_shift_by();

}  // namespace foxhunt::simt_test
