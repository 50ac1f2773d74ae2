// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

namespace foxhunt {

// Throws Error device: "<file>:<line>: <call> failed: <CUDA's name for it> (<what it means>)". The
// runtime's last error is cleared first, so that the next check does not report it again.
[[noreturn]] void cuda_check_failed(cudaError_t error, const char* call, const char* file,
                                    int line);

}  // namespace foxhunt

// FOXHUNT_CUDA_CHECK(cudaMemcpyAsync(…)); nvcc may parse this.
#define FOXHUNT_CUDA_CHECK(...)                                                      \
  do {                                                                               \
    const cudaError_t foxhunt_error = (__VA_ARGS__);                                 \
    if (foxhunt_error != cudaSuccess) {                                              \
      ::foxhunt::cuda_check_failed(foxhunt_error, #__VA_ARGS__, __FILE__, __LINE__); \
    }                                                                                \
  } while (0)
