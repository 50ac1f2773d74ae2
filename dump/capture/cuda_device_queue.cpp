// SPDX-License-Identifier: MIT
#include "dump/capture/cuda_device_queue.h"

#include <cuda_runtime_api.h>

#include <fstream>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "dump/capture/cuda_check.h"
#include "dump/capture/cuda_lane.h"
#include "dump/format/error.h"

namespace foxhunt {
namespace {

// While a thread captures a graph in the global mode, a call such as cudaMalloc on any other thread
// fails and spoils that graph, unless the other thread says that its calls are no part of it.
class ApartFromGraphCapture {
 public:
  ApartFromGraphCapture() noexcept { cudaThreadExchangeStreamCaptureMode(&mode_); }
  ~ApartFromGraphCapture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  ApartFromGraphCapture(const ApartFromGraphCapture&) = delete;
  ApartFromGraphCapture& operator=(const ApartFromGraphCapture&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

std::string cuda_version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

// "580.65.06, CUDA 13.0"; the first part only where the system tells.
std::string driver_text() {
  int version = 0;
  FOXHUNT_CUDA_CHECK(cudaDriverGetVersion(&version));
  std::string text;
  std::ifstream("/sys/module/nvidia/version") >> text;
  return text + (text.empty() ? "" : ", ") + "CUDA " + cuda_version_text(version);
}

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU";
  for (std::size_t i = 0; i < sizeof(uuid.bytes); ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

class CudaDeviceQueue : public DeviceQueue {
 public:
  bool is_being_captured(Stream stream) override;
  DevicePointer allocate(std::size_t bytes, Stream stream) override;
  std::byte* allocate_pinned(std::size_t bytes) override;
  void snapshot(Stream stream, DevicePointer to, const void* from, std::size_t bytes) override;
  Event copy_out(Stream stream, std::byte* to, DevicePointer from, std::size_t bytes) override;
  void wait(Event event) override;
  void release(DevicePointer memory) noexcept override;
  void release_pinned(std::byte* memory) noexcept override;
  std::map<std::string, std::string> provenance() override;

 private:
  struct Snapshot {
    CudaLane* lane;
    cudaStream_t last_use;  // it may be freed behind the work on this stream
  };
  struct Copy {
    cudaEvent_t done;
    CudaLane* lane;
    DevicePointer from;
  };

  CudaLane& current_lane();

  std::mutex mutex_;
  std::map<int, CudaLane> lanes_;  // by device
  std::unordered_map<DevicePointer, Snapshot> snapshots_;
  std::unordered_map<Event, Copy> copies_;  // not waited for yet
  Event last_event_ = 0;
};

bool CudaDeviceQueue::is_being_captured(Stream stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const cudaError_t error = cudaStreamIsCapturing(static_cast<cudaStream_t>(stream), &status);
  // The default stream, while a stream that waits for it is being captured.
  if (error == cudaErrorStreamCaptureImplicit) {
    static_cast<void>(cudaGetLastError());
    return true;
  }
  FOXHUNT_CUDA_CHECK(error);
  return status != cudaStreamCaptureStatusNone;
}

CudaLane& CudaDeviceQueue::current_lane() {
  int device = 0;
  FOXHUNT_CUDA_CHECK(cudaGetDevice(&device));
  return lanes_.try_emplace(device, device).first->second;
}

DeviceQueue::DevicePointer CudaDeviceQueue::allocate(std::size_t bytes, Stream stream) {
  const ApartFromGraphCapture apart;
  const std::lock_guard lock(mutex_);
  CudaLane& lane = current_lane();
  const auto cuda_stream = static_cast<cudaStream_t>(stream);
  const DevicePointer memory = lane.allocate(bytes, cuda_stream);
  if (memory != nullptr) snapshots_[memory] = {&lane, cuda_stream};
  return memory;
}

std::byte* CudaDeviceQueue::allocate_pinned(std::size_t bytes) {
  const ApartFromGraphCapture apart;
  void* memory = nullptr;
  const cudaError_t error = cudaHostAlloc(&memory, bytes, cudaHostAllocPortable);
  if (error == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());
    return nullptr;
  }
  FOXHUNT_CUDA_CHECK(error);
  return static_cast<std::byte*>(memory);
}

void CudaDeviceQueue::snapshot(Stream stream, DevicePointer to, const void* from,
                               std::size_t bytes) {
  const ApartFromGraphCapture apart;
  FOXHUNT_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice,
                                     static_cast<cudaStream_t>(stream)));
}

DeviceQueue::Event CudaDeviceQueue::copy_out(Stream stream, std::byte* to, DevicePointer from,
                                             std::size_t bytes) {
  const ApartFromGraphCapture apart;
  const std::lock_guard lock(mutex_);
  Snapshot& snapshot = snapshots_.at(from);
  CudaLane& lane = *snapshot.lane;
  const Event event = ++last_event_;
  const cudaEvent_t done = lane.take_event();
  copies_[event] = {done, &lane, from};
  lane.put_side_behind(static_cast<cudaStream_t>(stream));
  FOXHUNT_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, lane.side()));
  snapshot.last_use = lane.side();
  FOXHUNT_CUDA_CHECK(cudaEventRecord(done, lane.side()));
  return event;
}

void CudaDeviceQueue::wait(Event event) {
  std::unique_lock lock(mutex_);
  const auto found = copies_.find(event);
  if (found == copies_.end()) return;  // reached, and waited for before
  const Copy copy = found->second;
  lock.unlock();
  // First of all: on a thread that never chose a device, any other call may make a context on
  // device 0.
  int device = 0;
  FOXHUNT_CUDA_CHECK(cudaGetDevice(&device));
  if (device != copy.lane->device()) FOXHUNT_CUDA_CHECK(cudaSetDevice(copy.lane->device()));
  const ApartFromGraphCapture apart;
  FOXHUNT_CUDA_CHECK(cudaEventSynchronize(copy.done));
  lock.lock();
  if (copies_.erase(event) == 0) return;  // another thread waited too
  copy.lane->spare(copy.done);
  const auto snapshot = snapshots_.find(copy.from);
  if (snapshot != snapshots_.end()) snapshot->second.last_use = copy.lane->idle();
}

void CudaDeviceQueue::release(DevicePointer memory) noexcept {
  const ApartFromGraphCapture apart;
  const std::lock_guard lock(mutex_);
  const auto found = snapshots_.find(memory);
  FOXHUNT_ASSERT(found != snapshots_.end());
  found->second.lane->free(memory, found->second.last_use);
  snapshots_.erase(found);
}

void CudaDeviceQueue::release_pinned(std::byte* memory) noexcept {
  const ApartFromGraphCapture apart;
  cudaFreeHost(memory);
  cudaGetLastError();
}

std::map<std::string, std::string> CudaDeviceQueue::provenance() {
  const ApartFromGraphCapture apart;
  int device = 0;
  int runtime = 0;
  cudaDeviceProp props{};
  FOXHUNT_CUDA_CHECK(cudaGetDevice(&device));
  FOXHUNT_CUDA_CHECK(cudaGetDeviceProperties(&props, device));
  FOXHUNT_CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
  return {
      {"gpu", props.name},
      {"gpu_uuid", uuid_text(props.uuid)},
      {"gpu_multiprocessors", std::to_string(props.multiProcessorCount)},
      {"compute_capability", fmt::format("{}.{}", props.major, props.minor)},
      {"driver", driver_text()},
      {"cuda", cuda_version_text(runtime)},
  };
}

}  // namespace

std::unique_ptr<DeviceQueue> make_cuda_device_queue() {
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error != cudaSuccess || devices == 0) {
    static_cast<void>(cudaGetLastError());
    throw Error(Errc::device,
                "no CUDA device to capture buffers from: cudaGetDeviceCount says {} ({}), {} "
                "devices; look at nvidia-smi, the driver and CUDA_VISIBLE_DEVICES, or dump host "
                "buffers only",
                cudaGetErrorName(error), cudaGetErrorString(error), devices);
  }
  return std::make_unique<CudaDeviceQueue>();
}

}  // namespace foxhunt
