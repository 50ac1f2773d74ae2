// SPDX-License-Identifier: MIT
#include "tests/trainer_hooks/reference/capture_kernels.h"

namespace foxhunt::test {
namespace {

constexpr unsigned kBlocks = 16, kThreads = 32;

__global__ void fill_ramp_kernel(float* out, float value) {
  const int first = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  for (int i = first; i < kCaptureFloats; i += kBlocks * kThreads) out[i] = -value;
  __syncthreads();
  for (int i = first; i < kCaptureFloats; i += kBlocks * kThreads) {
    out[i] = value + static_cast<float>(i);
  }
}

__global__ void add_one_kernel(const float* in, float* out) {
  const int first = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  for (int i = first; i < kCaptureFloats; i += kBlocks * kThreads) out[i] = in[i] + 1;
}

__global__ void sum_kernel(const float* in, float* sums) {
  const int first = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  for (int i = first; i < kCaptureFloats; i += kBlocks * kThreads) atomicAdd(&sums[i % 4], in[i]);
}

__global__ void uninitialised_kernel(float* out) {
  FOXHUNT_SHARED(float, shared, kThreads);
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i < kCaptureFloats) out[i] = shared[threadIdx.x];
}

__global__ void last_block_kernel(const float* in, float* parts, unsigned* ticket, float* sum) {
  if (threadIdx.x != 0) return;
  float part = 0;
  for (int i = static_cast<int>(blockIdx.x); i < kCaptureFloats; i += kBlocks) part += in[i];
  parts[blockIdx.x] = part;
  if (atomicInc(ticket, kBlocks - 1) != kBlocks - 1) return;
  *sum = 0;
  for (unsigned b = 0; b < kBlocks; ++b) *sum += parts[b];
}

}  // namespace

void fill_ramp(float* out, float value, cudaStream_t stream) {
  launch(fill_ramp_kernel, kBlocks, kThreads, 0, stream, out, value);
}
void add_one(const float* in, float* out, cudaStream_t stream) {
  launch(add_one_kernel, kBlocks, kThreads, 0, stream, in, out);
}
void sum_as_they_come(const float* in, float* sums, cudaStream_t stream) {
  launch(sum_kernel, kBlocks, kThreads, 0, stream, in, sums);
}
void read_what_was_not_written(float* out, cudaStream_t stream) {
  launch(uninitialised_kernel, (kCaptureFloats + kThreads - 1) / kThreads, kThreads, 0, stream,
         out);
}
void sum_without_fence(const float* in, float* parts, unsigned* ticket, float* sum,
                       cudaStream_t stream) {
  launch(last_block_kernel, kBlocks, kThreads, 0, stream, in, parts, ticket, sum);
}

}  // namespace foxhunt::test
