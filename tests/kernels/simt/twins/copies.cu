// SPDX-License-Identifier: MIT
// Copies that the host, or a kernel, did not wait for.
#include <algorithm>

#include "tests/kernels/simt/twins/twin_list.h"
#include "tests/kernels/simt/twins/twin_support.h"

namespace foxhunt::twins {
namespace {

constexpr unsigned kThreads = 64;
constexpr unsigned kBlocks = 4;
constexpr unsigned kElements = kBlocks * kThreads;

__global__ void affine_of(const float* in, float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 2.0f * in[i] + 1.0f;
}
__global__ void add_batch(const float* batch, float* sum) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  sum[i] += batch[i];
}
__global__ void add_scaled(const float* in, const float* scale, float* sum) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  sum[i] += *scale * in[i];
}

void fill(float* destination, std::uint32_t seed) {
  const std::vector<float> batch = values(kElements, seed);
  std::copy(batch.begin(), batch.end(), destination);
}

void upload(const Device<float>& destination, const float* source, cudaStream_t stream) {
  check(cudaMemcpyAsync(destination.get(), source, destination.bytes(), cudaMemcpyHostToDevice,
                        stream));
}

}  // namespace

Bytes host_read_before_sync(bool fixed) {
  Device<float> in(values(kElements)), out(kElements);
  Pinned<float> result(kElements);
  check(cudaDeviceSynchronize());
  Stream stream;
  foxhunt::launch(affine_of, kBlocks, kThreads, 0, stream, in.get(), out.get());
  check(cudaMemcpyAsync(result.get(), out.get(), out.bytes(), cudaMemcpyDeviceToHost, stream));
  if (fixed) check(cudaStreamSynchronize(stream));
  return result.read();
}

// An event of the step before: what the host reads may be of either step.
Bytes host_waits_for_the_event_before(bool fixed) {
  Device<float> in(values(kElements)), out(kElements);
  Pinned<float> result(kElements);
  check(cudaDeviceSynchronize());
  Stream stream;
  Event done[2];
  for (int step = 0; step < 2; ++step) {
    const Device<float>& source = step == 0 ? in : out;
    foxhunt::launch(affine_of, kBlocks, kThreads, 0, stream, source.get(), out.get());
    check(cudaMemcpyAsync(result.get(), out.get(), out.bytes(), cudaMemcpyDeviceToHost, stream));
    check(cudaEventRecord(done[step], stream));
  }
  check(cudaEventSynchronize(done[fixed ? 1 : 0]));
  return result.read();
}

Bytes pinned_staging_reused(bool fixed) {
  Device<float> batch(kElements), sum(kElements);
  Pinned<float> staging(kElements);
  sum.zero();
  check(cudaDeviceSynchronize());
  Stream stream;
  for (std::uint32_t step = 0; step < 3; ++step) {
    fill(staging.get(), step + 1);
    upload(batch, staging.get(), stream);
    foxhunt::launch(add_batch, kBlocks, kThreads, 0, stream, batch.get(), sum.get());
    if (fixed) check(cudaStreamSynchronize(stream));
  }
  return sum.read();
}

// A copy from pageable memory has read its source when the call returns; one from pinned has not.
Bytes pinned_where_pageable_was_assumed(bool fixed) {
  Device<float> batch(kElements), sum(kElements);
  Pinned<float> pinned(kElements);
  std::vector<float> pageable(kElements);
  float* const staging = fixed ? pageable.data() : pinned.get();
  sum.zero();
  check(cudaDeviceSynchronize());
  Stream stream;
  for (std::uint32_t step = 0; step < 3; ++step) {
    fill(staging, step + 1);
    upload(batch, staging, stream);
    foxhunt::launch(add_batch, kBlocks, kThreads, 0, stream, batch.get(), sum.get());
  }
  return sum.read();
}

// Two staging buffers; the one to fill next was last copied two steps ago, not three.
Bytes staging_pair_waits_for_an_older_copy(bool fixed) {
  Device<float> batch(kElements), sum(kElements);
  Pinned<float> even(kElements), odd(kElements);
  sum.zero();
  check(cudaDeviceSynchronize());
  Stream stream;
  Event copied[3];
  const std::uint32_t lag = fixed ? 2 : 3;
  for (std::uint32_t step = 0; step < 5; ++step) {
    float* const staging = step % 2 == 0 ? even.get() : odd.get();
    if (step >= lag) check(cudaEventSynchronize(copied[(step - lag) % 3]));
    fill(staging, step + 1);
    upload(batch, staging, stream);
    check(cudaEventRecord(copied[step % 3], stream));
    foxhunt::launch(add_batch, kBlocks, kThreads, 0, stream, batch.get(), sum.get());
  }
  return sum.read();
}

// A copy in its own stream, while a kernel in another one rewrites its source.
Bytes copy_torn_by_a_kernel(bool fixed) {
  Device<float> in(values(kElements)), out(values(kElements, 2));
  Pinned<float> result(kElements);
  check(cudaDeviceSynchronize());
  Stream computing, copying;
  Event copied;
  check(cudaMemcpyAsync(result.get(), out.get(), out.bytes(), cudaMemcpyDeviceToHost, copying));
  check(cudaEventRecord(copied, copying));
  if (fixed) check(cudaStreamWaitEvent(computing, copied, 0));
  foxhunt::launch(affine_of, kBlocks, kThreads, 0, computing, in.get(), out.get());
  check(cudaEventSynchronize(copied));
  return result.read();
}

// The next batch goes where a kernel still reads the one before.
Bytes upload_overtakes_the_reader(bool fixed) {
  Device<float> batch(kElements), sum(kElements);
  Pinned<float> first(kElements), second(kElements);
  fill(first.get(), 1);
  fill(second.get(), 2);
  sum.zero();
  check(cudaDeviceSynchronize());
  Stream computing, copying;
  Event copied, read;
  upload(batch, first.get(), copying);
  check(cudaEventRecord(copied, copying));
  check(cudaStreamWaitEvent(computing, copied, 0));
  foxhunt::launch(add_batch, kBlocks, kThreads, 0, computing, batch.get(), sum.get());
  check(cudaEventRecord(read, computing));
  if (fixed) check(cudaStreamWaitEvent(copying, read, 0));
  upload(batch, second.get(), copying);
  return sum.read();
}

// A kernel looks at a scalar in host memory when it runs, not when it was launched.
Bytes host_scalar_changed_before_it_was_read(bool fixed) {
  Device<float> in(values(kElements)), sum(kElements);
  Pinned<float> scales(3);
  sum.zero();
  check(cudaDeviceSynchronize());
  Stream stream;
  for (std::uint32_t step = 0; step < 3; ++step) {
    float* const scale = &scales[fixed ? step : 0];
    *scale = 1.0f + 0.5f * static_cast<float>(step);
    foxhunt::launch(add_scaled, kBlocks, kThreads, 0, stream, in.get(), scale, sum.get());
  }
  return sum.read();
}

}  // namespace foxhunt::twins
