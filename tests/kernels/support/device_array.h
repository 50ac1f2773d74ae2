// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "kernels/simt/dialect.h"

namespace foxhunt::test {

// Device memory for `size` elements between guard words, which read() and the destructor check: a
// kernel that wrote next to its output fails the test.
template <class T>
class DeviceArray {
 public:
  // Holds whatever fresh memory holds. `misaligned` puts the elements that many elements behind a
  // 16-byte boundary.
  explicit DeviceArray(std::size_t size, std::size_t misaligned = 0)
      : size_(size), offset_(kGuard + misaligned * sizeof(T)) {
    EXPECT_EQ(cudaMalloc(&memory_, bytes()), cudaSuccess);
    std::vector<std::byte> whole(bytes());
    EXPECT_EQ(cudaMemcpy(whole.data(), memory_, bytes(), cudaMemcpyDeviceToHost), cudaSuccess);
    for (std::size_t i = 0; i < bytes(); ++i) {
      if (i < offset_ || i >= offset_ + size_ * sizeof(T)) whole[i] = kGuardByte;
    }
    EXPECT_EQ(cudaMemcpy(memory_, whole.data(), bytes(), cudaMemcpyHostToDevice), cudaSuccess);
  }

  explicit DeviceArray(const std::vector<T>& values, std::size_t misaligned = 0)
      : DeviceArray(values.size(), misaligned) {
    write(values);
  }

  ~DeviceArray() {
    check_guards();
    cudaFree(memory_);
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* get() { return reinterpret_cast<T*>(memory_ + offset_); }
  std::size_t size() const { return size_; }

  void write(const std::vector<T>& values) {
    ASSERT_EQ(values.size(), size_);
    ASSERT_EQ(cudaMemcpy(get(), values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice),
              cudaSuccess);
  }

  // Waits for the device, checks the guards and returns the elements.
  std::vector<T> read() {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    check_guards();
    std::vector<T> values(size_);
    EXPECT_EQ(cudaMemcpy(values.data(), get(), size_ * sizeof(T), cudaMemcpyDeviceToHost),
              cudaSuccess);
    return values;
  }

 private:
  static constexpr std::size_t kGuard = 64;  // bytes on either side
  static constexpr std::byte kGuardByte{0xa5};

  std::size_t bytes() const { return offset_ + size_ * sizeof(T) + kGuard; }

  void check_guards() {
    std::vector<std::byte> whole(bytes());
    EXPECT_EQ(cudaMemcpy(whole.data(), memory_, bytes(), cudaMemcpyDeviceToHost), cudaSuccess);
    for (std::size_t i = 0; i < bytes(); ++i) {
      const bool guard = i < offset_ || i >= offset_ + size_ * sizeof(T);
      if (guard && whole[i] != kGuardByte) {
        ADD_FAILURE() << "a guard byte was overwritten, "
                      << static_cast<long>(i) - static_cast<long>(offset_)
                      << " bytes from the first of " << size_ << " elements";
        return;
      }
    }
  }

  std::size_t size_, offset_;
  std::byte* memory_ = nullptr;
};

}  // namespace foxhunt::test
