// SPDX-License-Identifier: MIT
#include "tests/kernels/simt/ordered_kernels.h"

namespace foxhunt::simt_test {
namespace {

__global__ void arrivals_kernel(unsigned* head, unsigned* slots) {
  const unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned slot = atomicAdd(head, 1u);
  slots[slot % 256] = me;
}

__global__ void many_wait_for_few_kernel(int* flag, int* out) {
  const int setters = static_cast<int>(gridDim.x) * 4;
  const auto t = static_cast<int>(threadIdx.x);
  const int turn = static_cast<int>(blockIdx.x) * 4 + t - 124;
  if (t >= 124) {
    while (atomicAdd(flag, 0) != turn) {
    }
    atomicAdd(flag, 1);
  } else {
    while (atomicAdd(flag, 0) != setters) {
    }
  }
  out[static_cast<int>(blockIdx.x) * 128 + t] = 1;
}

__global__ void some_wait_kernel(unsigned* head, unsigned* order) {
  const unsigned t = threadIdx.x, me = blockIdx.x * blockDim.x + t;
  order[atomicAdd(head, 1u)] = me;
  if (blockIdx.x == 4) return;
  if (blockIdx.x % 2 != 0) {
    if (t % 16 != 3) __syncwarp(0xfff7fff7u);
    __syncthreads();
  } else if (t % 4 == 0) {
    __syncwarp(0x11111111u);
  } else {
    return;
  }
  order[atomicAdd(head, 1u)] = me;
}

}  // namespace

void arrivals(unsigned* head, unsigned* slots, cudaStream_t stream) {
  launch(arrivals_kernel, 4, 32, 0, stream, head, slots);
}

void some_wait(unsigned* head, unsigned* order, cudaStream_t stream) {
  launch(some_wait_kernel, 5, 100, 0, stream, head, order);
}

void many_wait_for_few(int blocks, int* flag, int* out, cudaStream_t stream) {
  launch(many_wait_for_few_kernel, static_cast<unsigned>(blocks), 128, 0, stream, flag, out);
}

}  // namespace foxhunt::simt_test
