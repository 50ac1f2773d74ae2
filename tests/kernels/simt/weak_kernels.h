// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/simt/dialect.h"

// The lines of weak_kernels.cu that race with each other when something is left out.
struct Lines {
  int write, read;
};

// Kernels that hand a value on, with fences and barriers that can be left out.

namespace foxhunt::simt_test {

// One block writes, sets a flag and is done; another waits for the flag and reads: out[0].
struct Handover {
  bool writer_fence = true;
  bool reader_fence = true;
};
Lines hand_over(Handover how, int* data, int* flag, int* out, cudaStream_t stream);

// Blocks of 64 threads; each thread writes to global memory and reads its neighbour's value after a
// barrier, or __syncwarp within each warp, or nothing.
enum class Between { barrier, warp_barrier, nothing };
Lines exchange(Between what, int blocks, int* scratch, int* out, cudaStream_t stream);

// The first of many threads writes a word, and the last one reads it. `out` holds 64 a block.
Lines long_ago(int blocks, int* word, int* out, cudaStream_t stream);

// Each thread stores bytes, words and vectors that overlap, and reads them back: out[i] counts what
// a thread did not find as it left it.
void own_stores(int threads, unsigned char* memory, int* out, cudaStream_t stream);

// One thread stores (k, k) as one 8-byte store, for k = 1, 2, ...; another, in another block, reads
// pairs meanwhile: out[0] counts unequal ones.
void pairs(unsigned long long* pair, int* out, cudaStream_t stream);

// Blocks of 64 threads copy structs from `in` to shared memory, to `scratch` (twice) and, after a
// barrier, each its right neighbour's to `out`.
struct Odd {
  float values[7];
};
template <class T>  // float2, float4 or Odd
void copies(int blocks, const T* in, T* scratch, T* out, cudaStream_t stream);

// A thread of block 0 counts a word up by plain stores, another block reads it again and again with
// plain loads: out[0] counts how often the count went back.
void counts(int* word, int* out, cudaStream_t stream);

}  // namespace foxhunt::simt_test
