// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/replay/replay_rows.h"
#include "tests/kernels/support/device_array.h"
#include "tests/kernels/support/schedules.h"

namespace foxhunt::test {

// Transitions in host memory.
struct HostTransitions {
  std::vector<float> h_t, h_tp1, window;
  std::vector<int> actions;
  std::vector<float> rewards, dones, log_pi_old;

  // n random ones.
  static HostTransitions random(int n, const ReplayShape& shape, std::uint64_t stream);
  // Row i is row numbers[i] of these; of zeros where that is negative.
  HostTransitions rows(const std::vector<int>& numbers, const ReplayShape& shape) const;

  bool operator==(const HostTransitions&) const = default;
};
void append(Bytes& bytes, const HostTransitions& transitions);

// The same in device memory.
class DeviceTransitions {
 public:
  explicit DeviceTransitions(const HostTransitions& host);
  ReplayRows rows();
  HostTransitions read();

 private:
  DeviceArray<float> h_t_, h_tp1_, window_;
  DeviceArray<int> actions_;
  DeviceArray<float> rewards_, dones_, log_pi_old_;
};

// A stream that does not wait for the default one.
class Stream {
 public:
  Stream() { cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace foxhunt::test
