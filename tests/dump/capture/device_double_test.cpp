// SPDX-License-Identifier: MIT
// Does the fake device catch what a real one would? Each wrong queue here is a plausible way to
// write DeviceQueue.
#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "tests/dump/capture/device_scenario.h"
#include "tests/support/test_seed.h"

namespace foxhunt::test {
namespace {

constexpr std::uint64_t kSeeds = 60;

// A third of all devices has the temper under which a given mistake goes well.
constexpr std::uint64_t kEnough = kSeeds / 3;

// Seeds out of kSeeds under which a capture through a queue of this type saw wrong bytes.
template <class Queue>
std::uint64_t seeds_with_wrong_bytes() {
  std::uint64_t caught = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const auto device = std::make_shared<FakeDevice>(test_seed() + seed);
    TroubleLog troubles;
    DeviceCapture capture(std::make_unique<Queue>(device), {}, troubles.handler());
    if (count_wrong_captures(*device, capture, {.seed = seed, .starts_late = true}) > 0) ++caught;
  }
  return caught;
}

TEST(FakeDevice, LetsTheRightQueuePass) {
  EXPECT_EQ(seeds_with_wrong_bytes<FakeDeviceQueue>(), 0u);
}

class CopiesWithoutItsDependency : public FakeDeviceQueue {
 public:
  using FakeDeviceQueue::FakeDeviceQueue;
  Event copy_out(Stream, std::byte* to, DevicePointer from, std::size_t bytes) override {
    return copy_on_side(to, from, bytes, nullptr);
  }
};

TEST(FakeDevice, CatchesACopyOnTheSideStreamThatDoesNotWaitForTheProducer) {
  EXPECT_GT(seeds_with_wrong_bytes<CopiesWithoutItsDependency>(), kEnough);
}

class SkipsTheSnapshot : public FakeDeviceQueue {
 public:
  using FakeDeviceQueue::FakeDeviceQueue;
  void snapshot(Stream, DevicePointer to, const void* from, std::size_t) override {
    source_[to] = from;
  }
  Event copy_out(Stream stream, std::byte* to, DevicePointer from, std::size_t bytes) override {
    return copy_on_side(to, source_.at(from), bytes, &stream);
  }

 private:
  std::map<DevicePointer, const void*> source_;
};

TEST(FakeDevice, CatchesACopyFromTheBufferItselfWithoutASnapshot) {
  EXPECT_GT(seeds_with_wrong_bytes<SkipsTheSnapshot>(), kEnough);
}

class ReadsAtOnce : public FakeDeviceQueue {
 public:
  using FakeDeviceQueue::FakeDeviceQueue;
  void snapshot(Stream, DevicePointer to, const void* from, std::size_t bytes) override {
    copy_at_once(to, from, bytes);
  }
};

TEST(FakeDevice, CatchesAHostCopyThatDoesNotWaitForTheStream) {
  EXPECT_GT(seeds_with_wrong_bytes<ReadsAtOnce>(), kEnough);
}

class DoesNotWait : public FakeDeviceQueue {
 public:
  using FakeDeviceQueue::FakeDeviceQueue;
  void wait(Event) override {}
};

TEST(FakeDevice, CatchesAWriterThatDoesNotWaitForTheCopy) {
  const auto device = std::make_shared<FakeDevice>(test_seed());
  device->pause();
  TroubleLog troubles;
  DeviceCapture capture(std::make_unique<DoesNotWait>(device), {}, troubles.handler());
  std::vector<std::byte> buffer(100);
  const auto captured = std::make_shared<Captured>();
  device->kernel(nullptr, [&] { std::memset(buffer.data(), 1, buffer.size()); });
  capture.capture(nullptr, buffer.data(), buffer.size(), collect(captured));
  capture.drain();
  EXPECT_FALSE(device->violations().empty());
  device->resume();
}

TEST(FakeDevice, RunsAStreamInOrderAndNothingAtAllWhilePaused) {
  const auto device = std::make_shared<FakeDevice>(test_seed());
  device->pause();
  std::vector<int> order;
  for (int i = 0; i < 20; ++i) device->kernel(nullptr, [&order, i] { order.push_back(i); });
  EXPECT_TRUE(order.empty());
  device->resume();
  device->synchronize();
  ASSERT_EQ(order.size(), 20u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(FakeDevice, RunsStreamsOutOfOrderBetweenThem) {
  bool later_first = false;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const auto device = std::make_shared<FakeDevice>(test_seed() + seed);
    const auto stream = device->make_stream();
    std::vector<int> order;
    device->kernel(nullptr, [&] { order.push_back(0); });
    device->kernel(stream, [&] { order.push_back(1); });
    device->synchronize();
    later_first |= order.front() == 1;
  }
  EXPECT_TRUE(later_first);
}

}  // namespace
}  // namespace foxhunt::test
