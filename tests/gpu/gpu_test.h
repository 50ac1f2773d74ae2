// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

namespace foxhunt::test {

// Skips whoever calls it from SetUp() where there is no device; fails it if FOXHUNT_REQUIRE_GPU=1
// promised one.
inline void require_device() {
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error == cudaSuccess && devices > 0) return;
  const char* required = std::getenv("FOXHUNT_REQUIRE_GPU");
  if (required != nullptr && std::string_view(required) == "1") {
    FAIL() << "FOXHUNT_REQUIRE_GPU=1, but there is no device: " << cudaGetErrorString(error);
  }
  GTEST_SKIP() << "no CUDA device: " << cudaGetErrorString(error);
}

// A test that needs a device.
class GpuTest : public testing::Test {
 protected:
  void SetUp() override { require_device(); }
};

}  // namespace foxhunt::test
