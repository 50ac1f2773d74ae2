// SPDX-License-Identifier: MIT
#include "tests/kernels/simt/address_kernels.h"

namespace foxhunt::simt_test {
namespace {

constexpr int kStore = __LINE__ + 4;
__global__ void store_at_kernel(int* memory, int index) {
  int local[8] = {};  // something on the stack
  for (int i = 0; i < 8; ++i) local[(i + index) % 8] = i;
  if (threadIdx.x == 5) memory[index] = 1 + local[0];
  __syncthreads();
}

constexpr int kStoreShared = __LINE__ + 6;
__global__ void store_at_shared_kernel(int* memory, int index) {
  FOXHUNT_SHARED(int, values, 16);
  FOXHUNT_SHARED(int, others, 16);
  if (threadIdx.x < 16) values[threadIdx.x] = others[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x == 5) values[index] = 1;
  __syncthreads();
  if (threadIdx.x == 0) memory[0] = values[3] + others[3];
}

constexpr int kShift = __LINE__ + 2;
__global__ void shift_by_kernel(int* memory, int index) {
  if (threadIdx.x == 0) memory[0] = 1 << index;
}

}  // namespace

void store_at(int* memory, int index, cudaStream_t stream) {
  launch(store_at_kernel, 1, 32, 0, stream, memory, index);
}
int line_of_store_at() { return kStore; }

void store_at_shared(int* memory, int index, cudaStream_t stream) {
  launch(store_at_shared_kernel, 1, 32, 0, stream, memory, index);
}
int line_of_store_at_shared() { return kStoreShared; }

void shift_by(int* memory, int index, cudaStream_t stream) {
  launch(shift_by_kernel, 1, 32, 0, stream, memory, index);
}
int line_of_shift_by() { return kShift; }

}  // namespace foxhunt::simt_test
