// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

#include "dump/capture/device_capture.h"
#include "kernels/simt/schedule.h"
#include "tests/dump/capture/device_scenario.h"
#include "tests/support/test_seed.h"
#include "tests/trainer_hooks/reference/capture_kernels.h"
#include "trainer_hooks/reference/simt_device_queue.h"

namespace foxhunt::test {

// Number `i` of the schedules that these tests run under.
inline simt::Schedule capture_schedule(std::uint64_t i) {
  return simt::schedule_for(i, test_seed());
}

// Device memory for kCaptureFloats floats, all zero.
class CaptureBuffer {
 public:
  CaptureBuffer() {
    EXPECT_EQ(cudaMalloc(&data_, kBytes), cudaSuccess);
    EXPECT_EQ(cudaMemset(data_, 0, kBytes), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }
  ~CaptureBuffer() { cudaFree(data_); }
  CaptureBuffer(const CaptureBuffer&) = delete;
  CaptureBuffer& operator=(const CaptureBuffer&) = delete;

  static constexpr std::size_t kBytes = kCaptureFloats * sizeof(float);
  float* get() const { return data_; }

 private:
  float* data_ = nullptr;
};

class CaptureStream {
 public:
  CaptureStream() { EXPECT_EQ(cudaStreamCreate(&stream_), cudaSuccess); }
  ~CaptureStream() {
    cudaStreamSynchronize(stream_);
    cudaStreamDestroy(stream_);
  }
  CaptureStream(const CaptureStream&) = delete;
  CaptureStream& operator=(const CaptureStream&) = delete;

  operator cudaStream_t() const { return stream_; }  // NOLINT: it stands for one

 private:
  cudaStream_t stream_ = nullptr;
};

// The executor, with a writer that waits for its copies on another thread.
class SimtCapture : public testing::Test {
 protected:
  std::unique_ptr<DeviceCapture> make() {
    return std::make_unique<DeviceCapture>(make_simt_device_queue(), DeviceCapture::Options(),
                                           troubles_.handler());
  }
  static std::shared_ptr<Captured> capture(DeviceCapture& capture, cudaStream_t stream,
                                           const CaptureBuffer& buffer) {
    auto captured = std::make_shared<Captured>();
    capture.capture(stream, buffer.get(), CaptureBuffer::kBytes, collect(captured));
    return captured;
  }
  // Whether the buffer was captured as fill_ramp(value) leaves it. After a drain.
  static bool holds_ramp(const Captured& captured, float value) {
    std::vector<float> ramp;
    for (int i = 0; i < kCaptureFloats; ++i) ramp.push_back(value + static_cast<float>(i));
    return captured.is_finished && captured.bytes.size() == CaptureBuffer::kBytes &&
           std::memcmp(captured.bytes.data(), ramp.data(), CaptureBuffer::kBytes) == 0;
  }

  TroubleLog troubles_;
};

}  // namespace foxhunt::test
