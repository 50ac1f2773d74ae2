// SPDX-License-Identifier: MIT
#include "kernels/simt/runtime_api.h"

#include <cstdlib>
#include <cstring>
#include <map>

#include "kernels/simt/arena.h"
#include "kernels/simt/streams.h"

namespace {

using foxhunt::simt::DiagnosticKind;

std::map<const char*, std::size_t> pinned;

cudaError_t refuse(DiagnosticKind kind, cudaError_t error, std::string text) {
  foxhunt::simt::report({kind, true, "", "", 0, std::move(text)});
  foxhunt::simt::set_last_error(error);
  return error;
}

}  // namespace

namespace foxhunt::simt {

cudaError_t device_allocate(void** pointer, std::size_t bytes) {
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  *pointer = allocate_device(bytes);
  return *pointer == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}

cudaError_t pinned_allocate(void** pointer, std::size_t bytes) {
  *pointer = std::malloc(bytes == 0 ? 1 : bytes);
  if (*pointer == nullptr) return cudaErrorMemoryAllocation;
  fill_garbage(*pointer, bytes, next_garbage_seed());
  pinned[static_cast<const char*>(*pointer)] = bytes;
  return cudaSuccess;
}

void set_policy(const Schedule& schedule);

void set_schedule(const Schedule& schedule) {
  drain_streams();
  set_policy(schedule);
  restart_garbage();
  take_diagnostics();
}

}  // namespace foxhunt::simt

cudaError_t cudaFree(void* pointer) {
  if (pointer == nullptr) return cudaSuccess;
  const cudaError_t error = cudaDeviceSynchronize();
  if (!foxhunt::simt::free_device(pointer)) {
    return refuse(DiagnosticKind::memory_misuse, cudaErrorInvalidValue,
                  "cudaFree of what cudaMalloc has not given, or of what is already free");
  }
  return error;
}

cudaError_t cudaFreeHost(void* pointer) {
  if (pointer == nullptr) return cudaSuccess;
  const cudaError_t error = cudaDeviceSynchronize();
  if (pinned.erase(static_cast<const char*>(pointer)) == 0) {
    return refuse(DiagnosticKind::memory_misuse, cudaErrorInvalidValue,
                  "cudaFreeHost of what cudaMallocHost has not given, or of what is already free");
  }
  std::free(pointer);
  return error;
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return cudaMemcpyAsync(to, from, bytes, kind, nullptr);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t) {
  if (bytes != 0) std::memmove(to, from, bytes);
  return cudaGetLastError();
}
cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  return cudaMemsetAsync(to, value, bytes, nullptr);
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t) {
  if (bytes != 0) std::memset(to, value, bytes);
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidValue; }
cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}

namespace {
struct ErrorText {
  cudaError_t error;
  const char* name;
  const char* text;
};
constexpr ErrorText kErrors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection",
     "invalid copy direction for memcpy"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};
const ErrorText& find(cudaError_t error) {
  for (const ErrorText& known : kErrors) {
    if (known.error == error) return known;
  }
  return kErrors[std::size(kErrors) - 1];
}
}  // namespace

const char* cudaGetErrorName(cudaError_t error) { return find(error).name; }
const char* cudaGetErrorString(cudaError_t error) { return find(error).text; }
