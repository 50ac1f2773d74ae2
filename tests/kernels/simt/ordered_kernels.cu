// SPDX-License-Identifier: MIT
#include "tests/kernels/simt/ordered_kernels.h"

namespace foxhunt::simt_test {
namespace {

__global__ void arrivals_kernel(unsigned* head, unsigned* slots) {
  const unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned slot = atomicAdd(head, 1u);
  slots[slot % 256] = me;
}

}  // namespace

void arrivals(unsigned* head, unsigned* slots, cudaStream_t stream) {
  launch(arrivals_kernel, 4, 32, 0, stream, head, slots);
}

}  // namespace foxhunt::simt_test
