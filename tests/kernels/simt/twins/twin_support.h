// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/simt/dialect.h"
#include "tests/kernels/simt/twins/twin.h"

namespace foxhunt::twins {

inline void check(cudaError_t status) {
  if (status != cudaSuccess) {
    throw std::runtime_error("CUDA error " + std::to_string(static_cast<int>(status)));
  }
}

// Device memory of `count` elements; as cudaMalloc gives it, so full of whatever lay there.
template <class T>
class Device {
 public:
  explicit Device(std::size_t count) : count_(count) { check(cudaMalloc(&data_, bytes())); }
  explicit Device(const std::vector<T>& values) : Device(values.size()) {
    check(cudaMemcpy(data_, values.data(), bytes(), cudaMemcpyHostToDevice));
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device() { cudaFree(data_); }

  T* get() const { return data_; }
  std::size_t bytes() const { return count_ * sizeof(T); }
  Device& zero() {
    check(cudaMemset(data_, 0, bytes()));
    return *this;
  }
  // Waits for everything, then copies: no twin's bug is in here.
  Bytes read() const {
    Bytes result(bytes());
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(result.data(), data_, result.size(), cudaMemcpyDeviceToHost));
    return result;
  }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

// Pinned host memory, all zero.
template <class T>
class Pinned {
 public:
  explicit Pinned(std::size_t count) : count_(count) {
    check(cudaMallocHost(&data_, bytes()));
    std::memset(static_cast<void*>(data_), 0, bytes());
  }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  ~Pinned() { cudaFreeHost(data_); }

  T* get() const { return data_; }
  T& operator[](std::size_t i) const { return data_[i]; }
  std::size_t bytes() const { return count_ * sizeof(T); }
  // As the host sees it now: waits for nothing.
  Bytes read() const {
    Bytes result(bytes());
    std::memcpy(result.data(), data_, result.size());
    return result;
  }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

// A stream that does not wait for the legacy default stream. Its work is done when it goes.
class Stream {
 public:
  Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
    cudaStreamSynchronize(stream_);
    cudaStreamDestroy(stream_);
  }
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  Event() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { cudaEventDestroy(event_); }
  operator cudaEvent_t() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

// The same pseudo-random words every time.
inline std::vector<std::uint32_t> words(std::size_t count, std::uint32_t seed = 1) {
  std::vector<std::uint32_t> result(count);
  std::uint32_t x = seed * 2654435761u + 1;
  for (auto& word : result) {
    x = x * 1664525u + 1013904223u;
    word = x >> 8;
  }
  return result;
}

// Values in (-100, 100) of very different size, so that the order of a sum shows in its bits.
inline std::vector<float> values(std::size_t count, std::uint32_t seed = 1) {
  std::vector<float> result;
  for (const std::uint32_t word : words(count, seed)) {
    const float unit = static_cast<float>(word & 0xffff) / 32768.0f - 1.0f;
    result.push_back(unit * ((word & 0x10000) != 0 ? 100.0f : 0.01f));
  }
  return result;
}

}  // namespace foxhunt::twins
