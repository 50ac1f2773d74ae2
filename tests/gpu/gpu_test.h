// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

namespace foxhunt::test {

// A test that needs a device: skipped without one, failed if FOXHUNT_REQUIRE_GPU=1 promised one.
class GpuTest : public testing::Test {
 protected:
  void SetUp() override {
    int devices = 0;
    const cudaError_t error = cudaGetDeviceCount(&devices);
    if (error == cudaSuccess && devices > 0) return;
    const char* required = std::getenv("FOXHUNT_REQUIRE_GPU");
    if (required != nullptr && std::string_view(required) == "1") {
      FAIL() << "FOXHUNT_REQUIRE_GPU=1, but there is no device: " << cudaGetErrorString(error);
    }
    GTEST_SKIP() << "no CUDA device: " << cudaGetErrorString(error);
  }
};

}  // namespace foxhunt::test
