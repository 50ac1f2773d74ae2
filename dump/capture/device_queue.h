// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace foxhunt {

// A device as the dumper sees it: just enough to copy a buffer out in stream order without making
// the training stream wait. The CUDA implementation is cuda_device_queue.h; the CPU executor brings
// its own, because a plain host copy there would read too early.
//
// Streams, device addresses and events are opaque. Every call throws Error device if the device
// refuses; none of them waits for the device, except wait().
class DeviceQueue {
 public:
  using Stream = void*;  // the producer's; nullptr is the default stream
  using DevicePointer = void*;
  using Event = std::uint64_t;  // names a point in the side stream; never reused

  virtual ~DeviceQueue() = default;

  // Whether work on `stream` is being recorded into a graph instead of run: nothing may be
  // captured.
  virtual bool is_being_captured(Stream stream) = 0;

  // Device memory for a snapshot, usable by work queued on `stream` from now on; nullptr (no
  // exception) when there is none left.
  virtual DevicePointer allocate(std::size_t bytes, Stream stream) = 0;
  // Pinned host memory; nullptr when there is none left.
  virtual std::byte* allocate_pinned(std::size_t bytes) = 0;

  // On the producer's stream: copies device memory to device memory, behind all that was queued
  // there before.
  virtual void snapshot(Stream stream, DevicePointer to, const void* from, std::size_t bytes) = 0;
  // On the side stream, behind all that is queued on `stream` now: copies to pinned memory. The
  // event is reached when the copy is done.
  virtual Event copy_out(Stream stream, std::byte* to, DevicePointer from, std::size_t bytes) = 0;

  // Blocks the calling thread until the event is reached. Callable from another thread than the one
  // that queued the copy. If it throws, the device is lost and the copy never runs any more.
  virtual void wait(Event event) = 0;

  // Called before the capturing thread waits for the one that calls wait(). A device that works by
  // itself has nothing to do; one that works only while somebody calls it, on that thread, must now
  // work until every event is reached, or the two would wait for each other.
  virtual void settle() noexcept {}

  // Gives memory back. The copy that read it has been waited for; or snapshot() or copy_out()
  // refused it, and the stream that it was allocated for still exists. Never throws.
  virtual void release(DevicePointer memory) noexcept = 0;
  virtual void release_pinned(std::byte* memory) noexcept = 0;

  // "gpu", "driver", "cuda", …, for the manifest.
  virtual std::map<std::string, std::string> provenance() = 0;
};

}  // namespace foxhunt
