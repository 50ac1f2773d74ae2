// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <map>
#include <vector>

namespace foxhunt {

// What CudaDeviceQueue has on one device: a side stream for copies to the host, events, and memory
// for snapshots. The device must be current in every call that may throw. Not thread-safe.
class CudaLane {
 public:
  explicit CudaLane(int device);
  // Gives everything back, whatever the device says; it may be gone by now.
  ~CudaLane();
  CudaLane(const CudaLane&) = delete;
  CudaLane& operator=(const CudaLane&) = delete;

  int device() const noexcept { return device_; }
  // Does not wait for the legacy default stream, nor that for it.
  cudaStream_t side() const noexcept { return side_; }
  // Always empty, or nearly: memory that nobody uses any more is freed here.
  cudaStream_t idle() const noexcept { return idle_; }

  // For work on `stream`; nullptr when the device has no memory left.
  void* allocate(std::size_t bytes, cudaStream_t stream);
  // Once the work now on `stream` is done. Only what is freed on idle() is used again without a
  // memory pool.
  void free(void* memory, cudaStream_t stream) noexcept;

  // The side stream goes on once the work now on `stream` is done.
  void put_side_behind(cudaStream_t stream);

  // An event to record and wait for (the waiter sleeps); the lane's again after spare().
  cudaEvent_t take_event();
  void spare(cudaEvent_t event);

 private:
  void* allocate_from_pool(std::size_t bytes, cudaStream_t stream);
  void* allocate_from_cache(std::size_t bytes);

  const int device_;
  cudaStream_t side_ = nullptr;
  cudaStream_t idle_ = nullptr;
  cudaEvent_t ready_ = nullptr;
  cudaMemPool_t pool_ = nullptr;  // nullptr: the device has none
  std::vector<cudaEvent_t> events_, spare_events_;
  // Without a pool: everything that cudaMalloc gave, and what of it is free, by size.
  std::map<void*, std::size_t> allocated_;
  std::multimap<std::size_t, void*> cached_;
};

}  // namespace foxhunt
