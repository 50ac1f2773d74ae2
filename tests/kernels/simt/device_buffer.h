// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/simt/dialect.h"

namespace foxhunt::simt_test {

// Device memory for a test; its destructor frees it.
template <class T>
class DeviceBuffer {
 public:
  explicit DeviceBuffer(std::size_t n) : n_(n) { cudaMalloc(&data_, n * sizeof(T)); }
  explicit DeviceBuffer(const std::vector<T>& values) : DeviceBuffer(values.size()) {
    cudaMemcpy(data_, values.data(), n_ * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~DeviceBuffer() { cudaFree(data_); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  T* data() { return data_; }
  void clear() { cudaMemset(data_, 0, n_ * sizeof(T)); }
  std::vector<T> values() const {
    std::vector<T> result(n_);
    cudaMemcpy(result.data(), data_, n_ * sizeof(T), cudaMemcpyDeviceToHost);
    return result;
  }

 private:
  std::size_t n_;
  T* data_ = nullptr;
};

}  // namespace foxhunt::simt_test
