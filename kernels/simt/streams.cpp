// SPDX-License-Identifier: MIT
#include "kernels/simt/streams.h"

#include <chrono>

namespace foxhunt::simt {

struct Stream {
  bool blocking = true;
};

struct Event {
  std::chrono::steady_clock::time_point time;
};

namespace {
cudaError_t last_error = cudaSuccess;
}

void set_last_error(cudaError_t error) { last_error = error; }

void enqueue(Stream*, std::unique_ptr<Grid> grid) {
  if (!engine().run({grid.get()})) set_last_error(cudaErrorLaunchFailure);
}

void enqueue_kernel(std::unique_ptr<Invocation> kernel, dim3 grid, dim3 block,
                    std::size_t shared_bytes, cudaStream_t stream) {
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  if (threads == 0 || threads > kMaxBlockThreads || block.z > 64 || grid.x == 0 || grid.y == 0 ||
      grid.z == 0 || grid.x > 0x7fffffffu || grid.y > 65535 || grid.z > 65535) {
    set_last_error(cudaErrorInvalidConfiguration);
    return;
  }
  auto work = std::make_unique<Grid>();
  work->grid = grid;
  work->block = block;
  work->shared_bytes = shared_bytes;
  work->kernel = std::move(kernel);
  enqueue(stream, std::move(work));
}

void drain_streams() {}

}  // namespace foxhunt::simt

using foxhunt::simt::Event;
using foxhunt::simt::Stream;

cudaError_t cudaGetLastError() { return std::exchange(foxhunt::simt::last_error, cudaSuccess); }
cudaError_t cudaPeekAtLastError() { return foxhunt::simt::last_error; }

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  *stream = new Stream{(flags & cudaStreamNonBlocking) == 0};
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaGetLastError(); }
cudaError_t cudaStreamQuery(cudaStream_t) { return cudaGetLastError(); }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return cudaSuccess; }

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new Event;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  event->time = std::chrono::steady_clock::now();
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaGetLastError(); }
cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() { return cudaGetLastError(); }
