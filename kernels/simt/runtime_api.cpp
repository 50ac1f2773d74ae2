// SPDX-License-Identifier: MIT
#include "kernels/simt/runtime_api.h"

#include <iterator>
#include <string>

#include "kernels/simt/arena.h"
#include "kernels/simt/policy.h"
#include "kernels/simt/races.h"
#include "kernels/simt/streams.h"

namespace foxhunt::simt {

cudaError_t device_allocate(void** pointer, std::size_t bytes) {
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  *pointer = allocate(Memory::device, bytes);
  return *pointer == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}

cudaError_t pinned_allocate(void** pointer, std::size_t bytes) {
  *pointer = allocate(Memory::pinned, bytes == 0 ? 1 : bytes);
  return *pointer == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}

void set_schedule(const Schedule& schedule) {
  run_all_streams();
  set_policy(schedule);
  restart_garbage();
  restart_streams();
  set_last_error(cudaSuccess);
  take_diagnostics();
  take_races();
}

namespace {

// Both wait for the device.
cudaError_t free_memory(Memory kind, void* pointer, const char* call) {
  if (pointer == nullptr) return cudaSuccess;
  const cudaError_t error = cudaDeviceSynchronize();
  if (release(kind, pointer)) return error;
  return refuse(DiagnosticKind::memory_misuse, cudaErrorInvalidValue,
                std::string(call) + " of what was not allocated so, or is already free");
}

}  // namespace
}  // namespace foxhunt::simt

cudaError_t cudaFree(void* pointer) {
  return foxhunt::simt::free_memory(foxhunt::simt::Memory::device, pointer, "cudaFree");
}

cudaError_t cudaFreeHost(void* pointer) {
  return foxhunt::simt::free_memory(foxhunt::simt::Memory::pinned, pointer, "cudaFreeHost");
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
