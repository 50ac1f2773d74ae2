// SPDX-License-Identifier: MIT
#include "trainer_hooks/reference/simt_device_queue.h"

#include <condition_variable>
#include <cstring>
#include <functional>
#include <mutex>
#include <new>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "dump/format/error.h"
#include "kernels/simt/arena.h"
#include "kernels/simt/events.h"
#include "kernels/simt/schedule.h"
#include "kernels/simt/streams.h"

namespace foxhunt {
namespace {

// Calls `action` when the stream has done all that is queued there now, before it does anything
// queued later: on the executor's thread, between launches.
//
// An event that is recorded takes no time, and lives until the stream has passed the record. So the
// action hangs on the end of its life.
void when_reached(cudaStream_t stream, std::function<void()> action) {
  const std::shared_ptr<simt::EventState> event(
      new simt::EventState, [action = std::move(action)](const simt::EventState* passed) {
        delete passed;
        action();
      });
  simt::record_event(event, stream);
}

// Host memory of one kind, within a bound. Queued work may hold a piece longer than its owner does.
class BoundedMemory {
 public:
  explicit BoundedMemory(std::size_t bound) : left_(bound) {}

  std::byte* take(std::size_t bytes) {
    if (bytes > left_) return nullptr;
    const std::shared_ptr<std::byte[]> memory(new (std::nothrow) std::byte[bytes]);
    if (memory == nullptr) return nullptr;
    pieces_[memory.get()] = {memory, bytes};
    left_ -= bytes;
    return memory.get();
  }
  void give_back(void* memory) noexcept {
    const auto found = pieces_.find(memory);
    FOXHUNT_ASSERT(found != pieces_.end());
    left_ += found->second.bytes;
    pieces_.erase(found);
  }
  std::shared_ptr<std::byte[]> share(void* memory) const { return pieces_.at(memory).memory; }

 private:
  struct Piece {
    std::shared_ptr<std::byte[]> memory;
    std::size_t bytes;
  };
  std::unordered_map<void*, Piece> pieces_;
  std::size_t left_;
};

class SimtDeviceQueue : public DeviceQueue {
 public:
  explicit SimtDeviceQueue(std::size_t memory_bytes)
      : snapshots_(memory_bytes), pinned_(memory_bytes) {}

  bool is_being_captured(Stream) override { return false; }  // the executor has no graphs
  DevicePointer allocate(std::size_t bytes, Stream) override {
    const std::lock_guard lock(mutex_);
    return snapshots_.take(bytes);
  }
  std::byte* allocate_pinned(std::size_t bytes) override {
    const std::lock_guard lock(mutex_);
    return pinned_.take(bytes);
  }
  void snapshot(Stream stream, DevicePointer to, const void* from, std::size_t bytes) override;
  Event copy_out(Stream stream, std::byte* to, DevicePointer from, std::size_t bytes) override;
  void wait(Event event) override;
  void settle() noexcept override;
  void release(DevicePointer memory) noexcept override {
    const std::lock_guard lock(mutex_);
    snapshots_.give_back(memory);
  }
  void release_pinned(std::byte* memory) noexcept override {
    const std::lock_guard lock(mutex_);
    pinned_.give_back(memory);
  }
  std::map<std::string, std::string> provenance() override;

 private:
  // Of copies. Queued work holds it, and may outlive the queue.
  struct Progress {
    std::mutex mutex;
    std::condition_variable reached;
    std::unordered_set<Event> pending;

    bool done() {
      const std::lock_guard lock(mutex);
      return pending.empty();
    }
  };

  std::mutex mutex_;
  BoundedMemory snapshots_, pinned_;
  Event last_event_ = 0;
  const std::shared_ptr<Progress> progress_ = std::make_shared<Progress>();
};

cudaStream_t checked(DeviceQueue::Stream stream) {
  const auto known = static_cast<cudaStream_t>(stream);
  if (!simt::check_stream(known, "a capture")) {
    throw Error(Errc::device,
                "a buffer is to be dumped from a stream that does not exist, or no more; note it "
                "with the stream that its producer was queued on");
  }
  return known;
}

void SimtDeviceQueue::snapshot(Stream stream, DevicePointer to, const void* from,
                               std::size_t bytes) {
  const std::size_t there = simt::bytes_from(from);
  if (there < bytes) {
    throw Error(Errc::device,
                "{} bytes of device memory are to be dumped, but the allocation has {} from there "
                "on; note device buffers with their size, and host buffers with note_host",
                bytes, there);
  }
  const cudaStream_t producers = checked(stream);
  std::unique_lock lock(mutex_);
  const auto memory = snapshots_.share(to);
  lock.unlock();
  // cudaFree waits for the device: the source is still there.
  when_reached(producers, [memory, from, bytes] { std::memcpy(memory.get(), from, bytes); });
}

DeviceQueue::Event SimtDeviceQueue::copy_out(Stream stream, std::byte* to, DevicePointer from,
                                             std::size_t bytes) {
  const cudaStream_t producers = checked(stream);
  std::unique_lock lock(mutex_);
  const auto memory = snapshots_.share(from);
  const Event event = ++last_event_;
  lock.unlock();
  {
    const std::lock_guard pending(progress_->mutex);
    progress_->pending.insert(event);
  }
  when_reached(producers, [progress = progress_, memory, to, bytes, event] {
    std::memcpy(to, memory.get(), bytes);
    const std::lock_guard reached(progress->mutex);
    progress->pending.erase(event);
    progress->reached.notify_all();
  });
  return event;
}

void SimtDeviceQueue::wait(Event event) {
  std::unique_lock lock(progress_->mutex);
  progress_->reached.wait(lock, [&] { return !progress_->pending.contains(event); });
}

void SimtDeviceQueue::settle() noexcept {
  while (!progress_->done()) FOXHUNT_ASSERT(simt::step_device());
}

std::map<std::string, std::string> SimtDeviceQueue::provenance() {
  const simt::Schedule& schedule = simt::current_schedule();
  return {
      {"gpu", "none: kernels run on this CPU, under a schedule"},
      {"schedule", simt::describe(schedule)},
      {"schedule_seed", std::to_string(schedule.seed)},
  };
}

}  // namespace

std::unique_ptr<DeviceQueue> make_simt_device_queue(std::size_t memory_bytes) {
  return std::make_unique<SimtDeviceQueue>(memory_bytes);
}

}  // namespace foxhunt
