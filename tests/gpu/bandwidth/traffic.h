// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/simt/dialect.h"

namespace foxhunt::test {

inline void check_cuda(cudaError_t error, const char* what) {
  if (error != cudaSuccess) {
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
  }
}

// The buffers of one call of a kernel, and the bytes that the call must move at least: those it
// reads and those it writes, each once, whatever a cache or a kernel's own workspace adds.
class Traffic {
 public:
  // `wanted` bytes, about, are to be moved.
  explicit Traffic(std::size_t wanted) : wanted_(wanted) {}
  Traffic(const Traffic&) = delete;
  Traffic& operator=(const Traffic&) = delete;
  ~Traffic() {
    cudaDeviceSynchronize();
    if (other_ != nullptr) cudaStreamDestroy(other_);
    for (void* memory : pinned_) cudaFreeHost(memory);
    for (void* memory : device_) cudaFree(memory);
  }

  // How many rows of so many floats come to the bytes wanted.
  int rows(int floats) const { return std::max(1, static_cast<int>(wanted_ / 4) / floats); }

  // Device memory of count * each elements: floats about 0.01, ints 0.
  float* reads(int count, int each = 1) { return floats(count, each, 1); }
  float* writes(int count, int each = 1) { return floats(count, each, 1); }
  float* updates(int count, int each = 1) { return floats(count, each, 2); }
  float* scratch(int count, int each = 1) { return floats(count, each, 0); }
  int* reads_ints(int count) { return static_cast<int*>(allocate(count, 1, 0, 1)); }
  int* writes_ints(int count) { return static_cast<int*>(allocate(count, 1, 0, 1)); }

  float* pinned(int count) {
    float* memory = nullptr;
    check_cuda(cudaMallocHost(&memory, static_cast<std::size_t>(count) * sizeof(float)),
               "pinned memory");
    pinned_.push_back(memory);
    std::fill_n(memory, count, 0.5f);
    return memory;
  }
  // One besides the stream that is measured.
  cudaStream_t other_stream() {
    if (other_ == nullptr) {
      check_cuda(cudaStreamCreateWithFlags(&other_, cudaStreamNonBlocking), "a stream");
    }
    return other_;
  }

  std::size_t bytes() const { return bytes_; }

 private:
  float* floats(int count, int each, int times) {
    return static_cast<float*>(allocate(count, each, 0x3c, times));
  }
  void* allocate(int count, int each, int byte, int times) {
    const std::size_t size =
        static_cast<std::size_t>(count) * static_cast<std::size_t>(each) * sizeof(float);
    char* memory = nullptr;
    check_cuda(cudaMalloc(&memory, size), "device memory");
    device_.push_back(memory);
    check_cuda(cudaMemset(memory, byte, size), "filling device memory");
    bytes_ += static_cast<std::size_t>(times) * size;
    return memory;
  }

  std::size_t wanted_, bytes_ = 0;
  std::vector<void*> device_, pinned_;
  cudaStream_t other_ = nullptr;
};

// A kernel as the profile calls it, and what makes its buffers and returns its call. Queues
// everything on the stream that it is given, or in an order with it.
struct BandwidthRow {
  const char* kernel;
  std::function<void(cudaStream_t)> (*make)(Traffic&);
};

std::vector<BandwidthRow> encoder_rows();
std::vector<BandwidthRow> head_rows();
std::vector<BandwidthRow> step_rows();  // replay, reductions, update, products

}  // namespace foxhunt::test
