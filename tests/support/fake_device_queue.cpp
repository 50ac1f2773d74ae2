// SPDX-License-Identifier: MIT
#include "tests/support/fake_device_queue.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "dump/format/error.h"

namespace foxhunt::test {

FakeDevice::FakeDevice(std::uint64_t seed) : rng_(seed), temper_(static_cast<Temper>(rng_() % 3)) {}

std::unique_ptr<DeviceQueue> FakeDevice::queue() {
  return std::make_unique<FakeDeviceQueue>(shared_from_this());
}

FakeDevice::Stream FakeDevice::make_stream() {
  const std::lock_guard lock(mutex_);
  static char names[1 << 10];
  FOXHUNT_ASSERT(streams_.size() < std::size(names));
  const Stream stream = names + streams_.size();
  streams_[stream];
  return stream;
}

void FakeDevice::kernel(Stream stream, Operation operation) {
  const std::lock_guard lock(mutex_);
  enqueue(streams_[stream], {std::move(operation)});
  run_a_few();
}

void FakeDevice::synchronize() {
  const std::lock_guard lock(mutex_);
  while (run_one()) {
  }
}

void FakeDevice::pause() {
  const std::lock_guard lock(mutex_);
  paused_ = true;
}

void FakeDevice::resume() {
  const std::lock_guard lock(mutex_);
  paused_ = false;
  resumed_.notify_all();
}

void FakeDevice::set_being_captured(Stream stream, bool is_captured) {
  const std::lock_guard lock(mutex_);
  being_captured_[stream] = is_captured;
}

void FakeDevice::limit_memory(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  memory_limit_ = bytes;
}

void FakeDevice::limit_pinned(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  pinned_limit_ = bytes;
}

void FakeDevice::fail_call(std::uint64_t n, Fault fault) {
  const std::lock_guard lock(mutex_);
  failing_call_ = calls_ + n;
  fault_ = fault;
}

void FakeDevice::die() {
  const std::lock_guard lock(mutex_);
  dead_ = true;
  resumed_.notify_all();
}

std::uint64_t FakeDevice::calls() const {
  const std::lock_guard lock(mutex_);
  return calls_;
}

std::size_t FakeDevice::memory_in_use() const {
  const std::lock_guard lock(mutex_);
  return in_use(device_);
}

std::size_t FakeDevice::pinned_in_use() const {
  const std::lock_guard lock(mutex_);
  return in_use(pinned_);
}

std::size_t FakeDevice::pinned_peak() const {
  const std::lock_guard lock(mutex_);
  return pinned_peak_;
}

std::uint64_t FakeDevice::pinned_refusals() const {
  const std::lock_guard lock(mutex_);
  return pinned_refusals_;
}

std::vector<std::string> FakeDevice::violations() const {
  const std::lock_guard lock(mutex_);
  return violations_;
}

// The private functions run under the lock.

void FakeDevice::may_throw(const char* call) {
  const std::uint64_t number = calls_++;
  if (number == failing_call_ && (fault_ == Fault::for_good || call == std::string_view("wait"))) {
    dead_ = true;
    resumed_.notify_all();
  }
  if (dead_ || number == failing_call_) {
    throw Error(Errc::device, "the fake device refused {} (call {})", call, number);
  }
}

void FakeDevice::enqueue(Queue& queue, Queue::Item item) {
  queue.items.push_back(std::move(item));
  ++queue.queued;
}

bool FakeDevice::run_one() {
  if (dead_ || paused_) return false;
  const auto is_ready = [](const Queue& queue) {
    if (queue.items.empty()) return false;
    const auto& item = queue.items.front();
    return item.after == nullptr || item.after->done >= item.after_done;
  };
  std::vector<Queue*> ready;
  for (auto& [stream, queue] : streams_) {
    if (is_ready(queue)) ready.push_back(&queue);
  }
  if (is_ready(side_) && (temper_ != Temper::side_last || ready.empty())) {
    if (temper_ == Temper::side_first) ready.clear();
    ready.push_back(&side_);
  }
  if (ready.empty()) return false;
  Queue& queue = *ready[rng_() % ready.size()];
  const auto item = std::move(queue.items.front());
  queue.items.pop_front();
  item.operation();
  ++queue.done;
  return true;
}

void FakeDevice::run_a_few() {
  if (rng_() % 4 != 0) return;
  for (auto n = rng_() % 4; n > 0 && run_one(); --n) {
  }
}

void FakeDevice::scramble(std::byte* at, std::size_t bytes) {
  if (bytes > 0) std::memset(at, static_cast<int>(rng_() & 0xff), bytes);
}

std::byte* FakeDevice::allocate_in(Memories& memories, std::size_t bytes, std::size_t limit,
                                   Queue* on) {
  const std::size_t used = in_use(memories);
  if (used > limit || bytes > limit - used) return nullptr;
  Memory memory;
  memory.bytes = std::make_unique<std::byte[]>(bytes);
  memory.size = bytes;
  memory.allocated_on = on;
  scramble(memory.bytes.get(), bytes);
  std::byte* at = memory.bytes.get();
  memories.emplace(at, std::move(memory));
  return at;
}

FakeDevice::Memory* FakeDevice::find(Memories& memories, const void* at, std::size_t bytes,
                                     const char* call) {
  const auto* begin = static_cast<const std::byte*>(at);
  auto next = memories.upper_bound(begin);
  if (next != memories.begin()) {
    auto& [start, memory] = *std::prev(next);
    if (begin + bytes <= start + memory.size) return &memory;
  }
  violations_.push_back(std::string(call) + ": not in memory of ours");
  return nullptr;
}

void FakeDevice::drop(Memories& memories, const std::byte* at) {
  const auto found = memories.find(at);
  if (found == memories.end()) {
    violations_.push_back("given back: not memory of ours");
    return;
  }
  Memory& memory = found->second;
  if (memory.users > 0 && !dead_) {
    if (memory.allocated_on == nullptr || memory.copied) {
      violations_.push_back("given back while a copy was still to come");
    } else {  // in stream order
      enqueue(*memory.allocated_on, {[this, at] { device_.erase(at); }});
    }
    return;
  }
  memories.erase(found);
}

std::size_t FakeDevice::in_use(const Memories& memories) {
  std::size_t sum = 0;
  for (const auto& [at, memory] : memories) sum += memory.size;
  return sum;
}

bool FakeDeviceQueue::is_being_captured(Stream stream) {
  const std::lock_guard lock(device_->mutex_);
  device_->may_throw("is_being_captured");
  return device_->being_captured_[stream];
}

DeviceQueue::DevicePointer FakeDeviceQueue::allocate(std::size_t bytes, Stream stream) {
  const std::lock_guard lock(device_->mutex_);
  device_->may_throw("allocate");
  return device_->allocate_in(device_->device_, bytes, device_->memory_limit_,
                              &device_->streams_[stream]);
}

std::byte* FakeDeviceQueue::allocate_pinned(std::size_t bytes) {
  const std::lock_guard lock(device_->mutex_);
  device_->may_throw("allocate_pinned");
  auto* at = device_->allocate_in(device_->pinned_, bytes, device_->pinned_limit_, nullptr);
  if (at == nullptr) ++device_->pinned_refusals_;
  device_->pinned_peak_ = std::max(device_->pinned_peak_, FakeDevice::in_use(device_->pinned_));
  return at;
}

void FakeDeviceQueue::snapshot(Stream stream, DevicePointer to, const void* from,
                               std::size_t bytes) {
  const std::lock_guard lock(device_->mutex_);
  device_->may_throw("snapshot");
  auto* memory = device_->find(device_->device_, to, bytes, "snapshot");
  if (memory == nullptr) return;
  ++memory->users;
  device_->enqueue(device_->streams_[stream], {[=] {
                     std::memcpy(to, from, bytes);
                     --memory->users;
                   }});
  device_->run_a_few();
}

DeviceQueue::Event FakeDeviceQueue::copy_out(Stream stream, std::byte* to, DevicePointer from,
                                             std::size_t bytes) {
  return copy_on_side(to, from, bytes, &stream);
}

DeviceQueue::Event FakeDeviceQueue::copy_on_side(std::byte* to, const void* from, std::size_t bytes,
                                                 const Stream* behind) {
  const std::lock_guard lock(device_->mutex_);
  device_->may_throw("copy_out");
  auto* target = device_->find(device_->pinned_, to, bytes, "copy_out");
  if (target == nullptr) return device_->side_.queued;
  device_->scramble(to, bytes);
  const auto source = device_->device_.find(static_cast<const std::byte*>(from));
  auto* memory = source == device_->device_.end() ? nullptr : &source->second;
  if (memory != nullptr) {
    memory->copied = true;
    ++memory->users;
  }
  ++target->users;
  FakeDevice::Queue::Item item;
  item.operation = [=] {
    std::memcpy(to, from, bytes);
    if (memory != nullptr) --memory->users;
    --target->users;
  };
  if (behind != nullptr) {
    item.after = &device_->streams_[*behind];
    item.after_done = item.after->queued;
  }
  device_->enqueue(device_->side_, std::move(item));
  const Event event = device_->side_.queued;
  device_->run_a_few();
  return event;
}

void FakeDeviceQueue::copy_at_once(void* to, const void* from, std::size_t bytes) {
  const std::lock_guard lock(device_->mutex_);
  std::memcpy(to, from, bytes);
}

void FakeDeviceQueue::wait(Event event) {
  std::unique_lock lock(device_->mutex_);
  device_->may_throw("wait");
  while (device_->side_.done < event) {
    device_->resumed_.wait(
        lock, [&] { return !device_->paused_ || device_->dead_ || device_->side_.done >= event; });
    if (device_->dead_) throw Error(Errc::device, "the fake device died during wait");
    FOXHUNT_ASSERT(device_->run_one() || device_->side_.done >= event);
    lock.unlock();  // the trainer's next call may come in between
    lock.lock();
  }
  device_->run_a_few();
}

void FakeDeviceQueue::release(DevicePointer memory) noexcept {
  const std::lock_guard lock(device_->mutex_);
  device_->drop(device_->device_, static_cast<const std::byte*>(memory));
}

void FakeDeviceQueue::release_pinned(std::byte* memory) noexcept {
  const std::lock_guard lock(device_->mutex_);
  device_->drop(device_->pinned_, memory);
}

std::map<std::string, std::string> FakeDeviceQueue::provenance() {
  return {{"gpu", "fake device"}};
}

}  // namespace foxhunt::test
