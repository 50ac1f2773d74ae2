// SPDX-License-Identifier: MIT
#include "kernels/simt/dialect.h"
#include "tests/kernels/support/support_kernels.h"

namespace foxhunt::test {
namespace {

__global__ void fill_kernel(float* out, int from, int to) {
  for (int i = from; i < to; ++i) out[i] = 1.0f;
}

__global__ void add_kernel(const float* in, float* out) { atomicAdd(out, in[blockIdx.x]); }

}  // namespace

void fill_with_ones(float* out, int size, int before, int after) {
  launch(fill_kernel, dim3(1), dim3(1), 0, nullptr, out, -before, size + after);
}

void add_by_atomics(const float* in, float* out) {
  cudaMemsetAsync(out, 0, sizeof(float), nullptr);
  launch(add_kernel, dim3(4), dim3(1), 0, nullptr, in, out);
}

}  // namespace foxhunt::test
