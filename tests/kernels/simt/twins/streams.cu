// SPDX-License-Identifier: MIT
// Work in several streams, with a dependency that no event carries.
#include "tests/kernels/simt/twins/twin_list.h"
#include "tests/kernels/simt/twins/twin_support.h"

namespace foxhunt::twins {
namespace {

constexpr unsigned kThreads = 64;
constexpr unsigned kBlocks = 4;
constexpr unsigned kElements = kBlocks * kThreads;

__global__ void affine(const float* in, float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 2.0f * in[i] + 1.0f;
}
__global__ void add_in(const float* in, float* sum) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  sum[i] += in[i];
}

void run(void (*kernel)(const float*, float*), cudaStream_t stream, const Device<float>& in,
         const Device<float>& out) {
  foxhunt::launch(kernel, kBlocks, kThreads, 0, stream, in.get(), out.get());
}

void after(cudaStream_t waiting, const Event& event, cudaStream_t working) {
  check(cudaEventRecord(event, working));
  check(cudaStreamWaitEvent(waiting, event, 0));
}

}  // namespace

Bytes stream_without_event(bool fixed) {
  Device<float> in(values(kElements)), middle(kElements), out(kElements);
  middle.zero();
  check(cudaDeviceSynchronize());
  Stream producer, consumer;
  Event done;
  run(affine, producer, in, middle);
  if (fixed) after(consumer, done, producer);
  run(affine, consumer, middle, out);
  return out.read();
}

Bytes event_recorded_too_early(bool fixed) {
  Device<float> in(values(kElements)), middle(kElements), out(kElements);
  middle.zero();
  check(cudaDeviceSynchronize());
  Stream producer, consumer;
  Event done;
  if (!fixed) check(cudaEventRecord(done, producer));
  run(affine, producer, in, middle);
  if (fixed) check(cudaEventRecord(done, producer));
  check(cudaStreamWaitEvent(consumer, done, 0));
  run(affine, consumer, middle, out);
  return out.read();
}

// To wait for an event that nobody recorded so far is to wait for nothing.
Bytes event_waited_for_before_its_record(bool fixed) {
  Device<float> in(values(kElements)), middle(kElements), out(kElements);
  middle.zero();
  check(cudaDeviceSynchronize());
  Stream producer, consumer;
  Event done;
  if (!fixed) check(cudaStreamWaitEvent(consumer, done, 0));
  run(affine, producer, in, middle);
  check(cudaEventRecord(done, producer));
  if (fixed) check(cudaStreamWaitEvent(consumer, done, 0));
  run(affine, consumer, middle, out);
  return out.read();
}

Bytes event_recorded_in_the_wrong_stream(bool fixed) {
  Device<float> in(values(kElements)), middle(kElements), out(kElements);
  middle.zero();
  check(cudaDeviceSynchronize());
  Stream producer, consumer;
  Event done;
  run(affine, producer, in, middle);
  after(consumer, done, fixed ? producer : consumer);
  run(affine, consumer, middle, out);
  return out.read();
}

// The legacy default stream does not wait for a stream made with cudaStreamNonBlocking.
Bytes default_stream_taken_to_wait(bool fixed) {
  Device<float> in(values(kElements)), out(kElements);
  out.zero();
  check(cudaDeviceSynchronize());
  Stream stream;
  run(affine, stream, in, out);
  if (fixed) check(cudaStreamSynchronize(stream));
  Bytes result(out.bytes());
  check(cudaMemcpy(result.data(), out.get(), result.size(), cudaMemcpyDeviceToHost));
  return result;
}

Bytes memset_in_another_stream(bool fixed) {
  Device<float> in(values(kElements)), sum(values(kElements, 2));
  check(cudaDeviceSynchronize());
  Stream clearing, adding;
  check(cudaMemsetAsync(sum.get(), 0, sum.bytes(), fixed ? adding : clearing));
  run(add_in, adding, in, sum);
  return sum.read();
}

Bytes accumulation_from_two_streams(bool fixed) {
  Device<float> a(values(kElements)), b(values(kElements, 2)), sum(kElements);
  sum.zero();
  check(cudaDeviceSynchronize());
  Stream first, second;
  Event done;
  run(add_in, first, a, sum);
  if (fixed) after(second, done, first);
  run(add_in, second, b, sum);
  return sum.read();
}

// Two branches of a step borrow one scratch buffer.
Bytes scratch_shared_by_two_streams(bool fixed) {
  Device<float> a(values(kElements)), b(values(kElements, 2)), scratch(kElements);
  Device<float> other_scratch(kElements), out_a(kElements), out_b(kElements);
  check(cudaDeviceSynchronize());
  Stream first, second;
  run(affine, first, a, scratch);
  run(affine, first, scratch, out_a);
  const Device<float>& its_scratch = fixed ? other_scratch : scratch;
  run(affine, second, b, its_scratch);
  run(affine, second, its_scratch, out_b);
  Bytes result = out_a.read();
  const Bytes rest = out_b.read();
  result.insert(result.end(), rest.begin(), rest.end());
  return result;
}

// A pool hands a buffer out again while the stream that gave it back still reads it.
Bytes buffer_back_in_the_pool_too_early(bool fixed) {
  Device<float> in(values(kElements)), next(values(kElements, 2)), pooled(kElements);
  Device<float> out(kElements);
  check(cudaDeviceSynchronize());
  Stream reader, writer;
  Event given_back;
  run(affine, reader, in, pooled);
  run(affine, reader, pooled, out);
  if (fixed) after(writer, given_back, reader);
  run(affine, writer, next, pooled);
  return out.read();
}

}  // namespace foxhunt::twins
