// SPDX-License-Identifier: MIT
// What the CUDA side does where there is no device: this program hides them all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "dump/capture/cuda_check.h"
#include "dump/capture/cuda_device_queue.h"
#include "dump/format/error.h"

namespace foxhunt {
namespace {

const int kDevicesHidden = setenv("CUDA_VISIBLE_DEVICES", "-1", 1);

TEST(CudaDeviceQueue, WithoutADeviceIsAnErrorThatSaysWhereToLook) {
  ASSERT_EQ(kDevicesHidden, 0);
  try {
    make_cuda_device_queue();
    FAIL() << "a device was found";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::device);
    EXPECT_THAT(error.what(), testing::HasSubstr("no CUDA device to capture buffers from"));
    EXPECT_THAT(error.what(), testing::HasSubstr("cudaGetDeviceCount says cudaError"));
    EXPECT_THAT(error.what(), testing::HasSubstr("CUDA_VISIBLE_DEVICES"));
  }
}

TEST(CudaCheck, SaysFileLineCallAndTheNameOfTheFailure) {
  const int line = __LINE__ + 2;
  try {
    FOXHUNT_CUDA_CHECK(cudaSetDevice(4242));
    FAIL() << "device 4242 was found";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::device);
    EXPECT_THAT(error.what(), testing::StartsWith("device_cuda_test.cpp:" + std::to_string(line) +
                                                  ": cudaSetDevice(4242) failed: cudaError"));
  }
}

TEST(CudaCheck, LetsSuccessPass) { EXPECT_NO_THROW(FOXHUNT_CUDA_CHECK(cudaSuccess)); }

}  // namespace
}  // namespace foxhunt
