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
  simt::record_event_unnoticed(event, stream);
}

// The bytes of one snapshot, on their way: straight from the device to where copy_out() wants them,
// if it is called before the stream gets there; by way of `kept` if it is later. Queued work may
// hold a snapshot longer than its owner does. All on the executor's thread.
struct Snapshot {
  std::unique_ptr<std::byte[]> kept;
  std::byte* wanted_at = nullptr;  // by copy_out(), and so much of it
  std::size_t wanted = 0;
  DeviceQueue::Event event = 0;  // copy_out()'s
  bool taken = false;
};

// Takes and gives back bytes within a bound.
class Budget {
 public:
  explicit Budget(std::size_t bound) : left_(bound) {}

  std::unique_ptr<std::byte[]> take(std::size_t bytes) {
    if (bytes > left_) return nullptr;
    std::unique_ptr<std::byte[]> memory(new (std::nothrow) std::byte[bytes]);
    if (memory != nullptr) left_ -= bytes;
    return memory;
  }
  void give_back(std::size_t bytes) noexcept { left_ += bytes; }

 private:
  std::size_t left_;
};

class SimtDeviceQueue : public DeviceQueue {
 public:
  explicit SimtDeviceQueue(std::size_t memory_bytes)
      : device_budget_(memory_bytes), pinned_budget_(memory_bytes) {}

  bool is_being_captured(Stream) override { return false; }  // the executor has no graphs
  DevicePointer allocate(std::size_t bytes, Stream stream) override;
  std::byte* allocate_pinned(std::size_t bytes) override;
  void snapshot(Stream stream, DevicePointer to, const void* from, std::size_t bytes) override;
  Event copy_out(Stream stream, std::byte* to, DevicePointer from, std::size_t bytes) override;
  void wait(Event event) override;
  void settle() noexcept override;
  void release(DevicePointer memory) noexcept override;
  void release_pinned(std::byte* memory) noexcept override;
  std::map<std::string, std::string> provenance() override;

 private:
  struct Allocation {
    std::shared_ptr<Snapshot> snapshot;
    std::size_t bytes;
  };
  struct Pinned {
    std::unique_ptr<std::byte[]> memory;
    std::size_t bytes;
  };
  // Of copies. Queued work holds it, and may outlive the queue.
  struct Progress {
    std::mutex mutex;
    std::condition_variable reached;
    std::unordered_set<Event> pending;

    bool done() {
      const std::lock_guard lock(mutex);
      return pending.empty();
    }
    void reach(Event event) {
      const std::lock_guard lock(mutex);
      pending.erase(event);
      reached.notify_all();
    }
  };

  std::shared_ptr<Snapshot> find(DevicePointer memory) {
    const std::lock_guard lock(mutex_);
    return allocations_.at(memory).snapshot;
  }

  std::mutex mutex_;  // guards what follows up to the event: memory is released on any thread
  Budget device_budget_, pinned_budget_;
  std::unordered_map<void*, Allocation> allocations_;
  std::unordered_map<std::byte*, Pinned> pinned_;
  Event last_event_ = 0;
  const std::shared_ptr<Progress> progress_ = std::make_shared<Progress>();
};

DeviceQueue::DevicePointer SimtDeviceQueue::allocate(std::size_t bytes, Stream) {
  const std::lock_guard lock(mutex_);
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->kept = device_budget_.take(bytes);
  void* const memory = snapshot->kept.get();
  if (memory != nullptr) allocations_[memory] = {std::move(snapshot), bytes};
  return memory;
}

std::byte* SimtDeviceQueue::allocate_pinned(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  auto memory = pinned_budget_.take(bytes);
  std::byte* const pinned = memory.get();
  if (pinned != nullptr) pinned_[pinned] = {std::move(memory), bytes};
  return pinned;
}

void SimtDeviceQueue::release(DevicePointer memory) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = allocations_.find(memory);
  FOXHUNT_ASSERT(found != allocations_.end());
  device_budget_.give_back(found->second.bytes);
  allocations_.erase(found);
}

void SimtDeviceQueue::release_pinned(std::byte* memory) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = pinned_.find(memory);
  FOXHUNT_ASSERT(found != pinned_.end());
  pinned_budget_.give_back(found->second.bytes);
  pinned_.erase(found);
}

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
  // cudaFree waits for the device: the source is still there then.
  const auto take = [snapshot = find(to), progress = progress_, from, bytes] {
    snapshot->taken = true;
    if (snapshot->wanted_at != nullptr) {
      std::memcpy(snapshot->wanted_at, from, snapshot->wanted);
      progress->reach(snapshot->event);
    } else {
      std::memcpy(snapshot->kept.get(), from, bytes);
    }
  };
  when_reached(checked(stream), take);
}

// Behind the snapshot is behind all that matters: nothing else writes to its memory.
DeviceQueue::Event SimtDeviceQueue::copy_out(Stream stream, std::byte* to, DevicePointer from,
                                             std::size_t bytes) {
  checked(stream);
  const Event event = ++last_event_;
  const auto snapshot = find(from);
  if (snapshot->taken) {
    std::memcpy(to, snapshot->kept.get(), bytes);
    return event;
  }
  {
    const std::lock_guard lock(progress_->mutex);
    progress_->pending.insert(event);
  }
  snapshot->event = event;
  snapshot->wanted_at = to;
  snapshot->wanted = bytes;
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
