// SPDX-License-Identifier: MIT
// Linked into each test program that runs kernels on a GPU.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

namespace {

// All tests of the program are skipped without a device, or fail if FOXHUNT_REQUIRE_GPU=1 promised
// one.
class NeedsDevice : public testing::Environment {
 public:
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

[[maybe_unused]] testing::Environment* const kNeedsDevice =
    testing::AddGlobalTestEnvironment(new NeedsDevice);

}  // namespace
