// SPDX-License-Identifier: MIT
#include <cstddef>

#include "tests/gpu/twins/disturbance.h"

namespace foxhunt::test {
namespace {

constexpr unsigned kThreads = 128;

__device__ unsigned garbage(unsigned seed, unsigned i) {
  unsigned x = (seed * 2654435761u) ^ (i * 0x85ebca6bu);
  x = (x ^ (x >> 16)) * 0x7feb352du;
  return (x ^ (x >> 15)) & 0xbfffffffu;  // as a float: of either sign, below 2
}

__global__ void fill_with_garbage(unsigned seed, unsigned words, unsigned* memory) {
  for (unsigned i = threadIdx.x; i < words; i += kThreads) memory[i] = garbage(seed, i);
}

// Fills shared memory, then counts for a while.
__global__ void be_busy(unsigned seed, unsigned words, unsigned rounds, unsigned* sink) {
  FOXHUNT_DYNAMIC_SHARED(unsigned, scratch);
  for (unsigned i = threadIdx.x; i < words; i += kThreads) scratch[i] = garbage(seed, i);
  __syncthreads();
  unsigned x = scratch[threadIdx.x];
  for (unsigned i = 0; i < rounds; ++i) x = x * 1664525u + 1013904223u;
  if (x == seed) *sink = x;  // so that no compiler leaves it out
}

// In pieces that a program's next allocations are likely to be given.
void leave_garbage(unsigned number, cudaStream_t stream) {
  constexpr unsigned kPieces = 8, kWords = 1024;
  unsigned* pieces[kPieces];
  for (unsigned i = 0; i < kPieces; ++i) {
    cudaMalloc(&pieces[i], kWords * sizeof(unsigned));
    launch(fill_with_garbage, 1, kThreads, 0, stream, number * kPieces + i, kWords, pieces[i]);
  }
  cudaStreamSynchronize(stream);
  for (unsigned* piece : pieces) cudaFree(piece);
}

}  // namespace

Disturbance::Disturbance() {
  cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
  cudaMalloc(&sink_, sizeof(unsigned));
}

Disturbance::~Disturbance() {
  cudaStreamSynchronize(stream_);
  cudaFree(sink_);
  cudaStreamDestroy(stream_);
}

void Disturbance::before_run(unsigned number) {
#if defined(FOXHUNT_SIMT)
  constexpr unsigned kBlocks = 2, kWords = 256, kRounds = 8;
#else
  constexpr unsigned kBlocks = 512, kWords = 8192, kRounds = 32768;
#endif
  if (number % 3 == 0) leave_garbage(number, stream_);
  const unsigned rounds = number % 2 == 0 ? 0 : kRounds / 16 * (1 + number * 7 % 16);
  cudaStreamSynchronize(stream_);
  launch(be_busy, kBlocks, kThreads, kWords * sizeof(unsigned), stream_, number, kWords, rounds,
         sink_);
  if (rounds == 0) cudaStreamSynchronize(stream_);
}

}  // namespace foxhunt::test
