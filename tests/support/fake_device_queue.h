// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "dump/capture/device_queue.h"

namespace foxhunt::test {

// A device that does its work late. Streams are queues of operations; each queue runs in order, but
// between queues anything goes: which queue runs next is drawn from the seed, except where one
// operation was told to come after another queue's. Now and then a call runs a few operations; the
// rest runs when somebody waits. Memory that was just allocated, was given back, or is about to be
// copied into, holds garbage, so that reading too early or too late shows.
//
// Make one with std::make_shared: its queues keep it alive. Thread-safe; operations run one at a
// time, on the thread that happens to call, and must not call the device.
class FakeDevice : public std::enable_shared_from_this<FakeDevice> {
 public:
  using Stream = DeviceQueue::Stream;
  using Operation = std::function<void()>;
  enum class Fault { once, for_good };

  explicit FakeDevice(std::uint64_t seed);

  // What the code under test gets.
  std::unique_ptr<DeviceQueue> queue();

  // The trainer's side.
  Stream make_stream();
  void kernel(Stream stream, Operation operation);
  void synchronize();

  // Circumstances. While the device is paused it runs nothing, and wait() blocks.
  void pause();
  void resume();
  void set_being_captured(Stream stream, bool is_captured);
  void limit_memory(std::size_t bytes);  // what allocate() hands out in all
  void limit_pinned(std::size_t bytes);
  // The n-th call from now on (0: the next) that may throw does; and all after it, if for good or
  // if it was wait(): then the device is dead, and no operation runs any more either.
  void fail_call(std::uint64_t n, Fault fault);
  void die();

  // Observations.
  std::uint64_t calls() const;  // that may throw
  std::size_t memory_in_use() const;
  std::size_t pinned_in_use() const;
  std::size_t pinned_peak() const;
  std::uint64_t pinned_refusals() const;
  // What the code under test did that a real device would not forgive.
  std::vector<std::string> violations() const;

 private:
  friend class FakeDeviceQueue;

  struct Queue {
    struct Item {
      Operation operation;
      const Queue* after = nullptr;  // runs once that queue has done this many
      std::uint64_t after_done = 0;
    };
    std::deque<Item> items;
    std::uint64_t queued = 0;
    std::uint64_t done = 0;
  };
  struct Memory {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size = 0;
    Queue* allocated_on = nullptr;
    std::uint64_t users = 0;  // operations queued and not yet run
    bool copied = false;      // copy_out was called
  };
  using Memories = std::map<const std::byte*, Memory>;
  enum class Temper { even, side_first, side_last };

  void may_throw(const char* call);
  void enqueue(Queue& queue, Queue::Item item);
  bool run_one();
  void run_a_few();
  void scramble(std::byte* at, std::size_t bytes);
  std::byte* allocate_in(Memories& memories, std::size_t bytes, std::size_t limit, Queue* on);
  Memory* find(Memories& memories, const void* at, std::size_t bytes, const char* call);
  void drop(Memories& memories, const std::byte* at);
  static std::size_t in_use(const Memories& memories);

  mutable std::mutex mutex_;
  std::condition_variable resumed_;
  std::mt19937_64 rng_;
  Temper temper_;
  std::map<Stream, Queue> streams_;
  Queue side_;
  Memories device_, pinned_;
  std::map<Stream, bool> being_captured_;
  std::size_t memory_limit_ = SIZE_MAX, pinned_limit_ = SIZE_MAX, pinned_peak_ = 0;
  std::uint64_t calls_ = 0, failing_call_ = UINT64_MAX, pinned_refusals_ = 0;
  Fault fault_ = Fault::once;
  bool paused_ = false;
  bool dead_ = false;
  std::vector<std::string> violations_;
};

// The well-behaved queue. Not final: a test derives wrong ones from it, to see the device bite.
class FakeDeviceQueue : public DeviceQueue {
 public:
  explicit FakeDeviceQueue(std::shared_ptr<FakeDevice> device) : device_(std::move(device)) {}

  bool is_being_captured(Stream stream) override;
  DevicePointer allocate(std::size_t bytes, Stream stream) override;
  std::byte* allocate_pinned(std::size_t bytes) override;
  void snapshot(Stream stream, DevicePointer to, const void* from, std::size_t bytes) override;
  Event copy_out(Stream stream, std::byte* to, DevicePointer from, std::size_t bytes) override;
  void wait(Event event) override;
  void release(DevicePointer memory) noexcept override;
  void release_pinned(std::byte* memory) noexcept override;
  std::map<std::string, std::string> provenance() override;

 protected:
  // For wrong queues. Copies when the side stream comes to it, and not before all that is queued on
  // `behind` now (nullptr: whenever).
  Event copy_on_side(std::byte* to, const void* from, std::size_t bytes, const Stream* behind);
  void copy_at_once(void* to, const void* from, std::size_t bytes);

  std::shared_ptr<FakeDevice> device_;
};

}  // namespace foxhunt::test
