// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "kernels/simt/stream_types.h"

// The part of the CUDA runtime API that the executor answers, under CUDA's names and with its
// meaning:
//
// - work on streams may run at any time between its call and the synchronisation that waits for it;
// - copies between pageable host memory and the device stage the source (to the device) or return
//   only when done (from the device); between pinned host memory and the device they are async;
// - the default stream is the legacy one: it waits for blocking streams, and they for it;
// - fresh device and pinned memory holds finite garbage that the schedule's seed chooses.
//
// A kernel that failed (diagnostics.h) makes the next synchronising call and cudaGetLastError
// return an error, once.

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidMemcpyDirection = 21,
  cudaErrorInvalidResourceHandle = 400,
  cudaErrorNotReady = 600,
  cudaErrorIllegalAddress = 700,
  cudaErrorLaunchTimeout = 702,
  cudaErrorLaunchFailure = 719,
  cudaErrorUnknown = 999,
};

enum cudaMemcpyKind {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4,
};

constexpr unsigned cudaStreamDefault = 0;
constexpr unsigned cudaStreamNonBlocking = 1;
constexpr unsigned cudaEventDefault = 0;
constexpr unsigned cudaEventBlockingSync = 1;
constexpr unsigned cudaEventDisableTiming = 2;
constexpr unsigned cudaHostAllocDefault = 0;

const char* cudaGetErrorName(cudaError_t error);
const char* cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError();  // and clears it
cudaError_t cudaPeekAtLastError();

namespace foxhunt::simt {
cudaError_t device_allocate(void** pointer, std::size_t bytes);
cudaError_t pinned_allocate(void** pointer, std::size_t bytes);
}  // namespace foxhunt::simt

template <class T>
cudaError_t cudaMalloc(T** pointer, std::size_t bytes) {
  void* memory = nullptr;
  const cudaError_t error = foxhunt::simt::device_allocate(&memory, bytes);
  *pointer = static_cast<T*>(memory);
  return error;
}

template <class T>
cudaError_t cudaMallocHost(T** pointer, std::size_t bytes) {
  void* memory = nullptr;
  const cudaError_t error = foxhunt::simt::pinned_allocate(&memory, bytes);
  *pointer = static_cast<T*>(memory);
  return error;
}

template <class T>
cudaError_t cudaHostAlloc(T** pointer, std::size_t bytes, unsigned) {
  return cudaMallocHost(pointer, bytes);
}

cudaError_t cudaFree(void* pointer);
cudaError_t cudaFreeHost(void* pointer);

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr);
cudaError_t cudaMemset(void* to, int value, std::size_t bytes);
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream = nullptr);

cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);

cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
// Wall time between the two, which says something about this CPU only.
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end);

cudaError_t cudaDeviceSynchronize();
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceCount(int* count);
