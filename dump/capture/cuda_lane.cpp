// SPDX-License-Identifier: MIT
#include "dump/capture/cuda_lane.h"

#include <cstdint>

#include "dump/capture/cuda_check.h"

namespace foxhunt {
namespace {

bool is_out_of_memory(cudaError_t error) noexcept {
  if (error != cudaErrorMemoryAllocation) return false;
  static_cast<void>(cudaGetLastError());
  return true;
}

cudaMemPool_t make_pool(int device) {
  int is_supported = 0;
  FOXHUNT_CUDA_CHECK(
      cudaDeviceGetAttribute(&is_supported, cudaDevAttrMemoryPoolsSupported, device));
  if (is_supported == 0) return nullptr;
  cudaMemPoolProps props{};
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice;
  props.location.id = device;
  cudaMemPool_t pool = nullptr;
  FOXHUNT_CUDA_CHECK(cudaMemPoolCreate(&pool, &props));
  // Kept between captures: the default gives it back to the system at every synchronisation.
  std::uint64_t keep = UINT64_MAX;
  FOXHUNT_CUDA_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
  // Never make the training stream wait for another stream's free.
  int no = 0;
  FOXHUNT_CUDA_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowInternalDependencies, &no));
  return pool;
}

}  // namespace

CudaLane::CudaLane(int device) : device_(device) {
  FOXHUNT_CUDA_CHECK(cudaStreamCreateWithFlags(&side_, cudaStreamNonBlocking));
  FOXHUNT_CUDA_CHECK(cudaStreamCreateWithFlags(&idle_, cudaStreamNonBlocking));
  FOXHUNT_CUDA_CHECK(cudaEventCreateWithFlags(&ready_, cudaEventDisableTiming));
  pool_ = make_pool(device);
}

CudaLane::~CudaLane() {
  int device_before = device_;
  cudaGetDevice(&device_before);
  cudaSetDevice(device_);
  for (const auto& [memory, bytes] : allocated_) cudaFree(memory);
  for (const cudaEvent_t event : events_) cudaEventDestroy(event);
  cudaEventDestroy(ready_);
  cudaStreamDestroy(side_);
  cudaStreamDestroy(idle_);
  if (pool_ != nullptr) cudaMemPoolDestroy(pool_);
  cudaSetDevice(device_before);
  cudaGetLastError();
}

void* CudaLane::allocate(std::size_t bytes, cudaStream_t stream) {
  return pool_ != nullptr ? allocate_from_pool(bytes, stream) : allocate_from_cache(bytes);
}

void CudaLane::free(void* memory, cudaStream_t stream) noexcept {
  if (pool_ != nullptr) {
    cudaFreeAsync(memory, stream);
  } else if (stream == idle_) {
    try {
      cached_.emplace(allocated_.at(memory), memory);
    } catch (...) {  // it stays allocated until the end
    }
  }
}

void CudaLane::put_side_behind(cudaStream_t stream) {
  // The wait is for this record, however often the event is recorded again.
  FOXHUNT_CUDA_CHECK(cudaEventRecord(ready_, stream));
  FOXHUNT_CUDA_CHECK(cudaStreamWaitEvent(side_, ready_, 0));
}

cudaEvent_t CudaLane::take_event() {
  if (spare_events_.empty()) {
    events_.reserve(events_.size() + 1);
    spare_events_.reserve(events_.capacity());
    cudaEvent_t event = nullptr;
    FOXHUNT_CUDA_CHECK(
        cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventBlockingSync));
    events_.push_back(event);
    return event;
  }
  const cudaEvent_t event = spare_events_.back();
  spare_events_.pop_back();
  return event;
}

void CudaLane::spare(cudaEvent_t event) { spare_events_.push_back(event); }

void* CudaLane::allocate_from_pool(std::size_t bytes, cudaStream_t stream) {
  void* memory = nullptr;
  cudaError_t error = cudaMallocFromPoolAsync(&memory, bytes, pool_, stream);
  if (is_out_of_memory(error)) {
    // Frees on this stream are all but done; only then can their memory serve another size.
    FOXHUNT_CUDA_CHECK(cudaStreamSynchronize(idle_));
    FOXHUNT_CUDA_CHECK(cudaMemPoolTrimTo(pool_, 0));
    error = cudaMallocFromPoolAsync(&memory, bytes, pool_, stream);
    if (is_out_of_memory(error)) return nullptr;
  }
  FOXHUNT_CUDA_CHECK(error);
  return memory;
}

void* CudaLane::allocate_from_cache(std::size_t bytes) {
  const auto fitting = cached_.lower_bound(bytes);
  if (fitting != cached_.end() && fitting->first / 2 <= bytes) {
    void* const memory = fitting->second;
    cached_.erase(fitting);
    return memory;
  }
  void* memory = nullptr;
  cudaError_t error = cudaMalloc(&memory, bytes);
  if (is_out_of_memory(error)) {
    for (const auto& [size, unused] : cached_) {
      allocated_.erase(unused);
      cudaFree(unused);
    }
    cached_.clear();
    error = cudaMalloc(&memory, bytes);
    if (is_out_of_memory(error)) return nullptr;
  }
  FOXHUNT_CUDA_CHECK(error);
  allocated_.emplace(memory, bytes);
  return memory;
}

}  // namespace foxhunt
