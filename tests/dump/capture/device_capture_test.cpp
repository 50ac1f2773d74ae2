// SPDX-License-Identifier: MIT
#include "dump/capture/device_capture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <thread>

#include "tests/dump/capture/device_scenario.h"
#include "tests/support/test_seed.h"

namespace foxhunt::test {
namespace {

// Holds the writer in a sink until it is opened.
class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    opened_.notify_all();
  }
  void pass() {
    std::unique_lock lock(mutex_);
    opened_.wait(lock, [this] { return is_open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool is_open_ = false;
};

class DeviceCaptureTest : public testing::Test {
 protected:
  std::unique_ptr<DeviceCapture> make(DeviceCapture::Options options = {}) {
    return std::make_unique<DeviceCapture>(device_->queue(), options, troubles_.handler());
  }
  // After a capture has ended: nothing was reported, kept or done wrong.
  void expect_clean() {
    device_->synchronize();
    EXPECT_EQ(troubles_.text(), "");
    EXPECT_EQ(device_->memory_in_use(), 0u);
    EXPECT_EQ(device_->pinned_in_use(), 0u);
    EXPECT_THAT(device_->violations(), testing::IsEmpty());
  }

  TroubleLog troubles_;
  std::shared_ptr<FakeDevice> device_ = std::make_shared<FakeDevice>(test_seed());
};

TEST_F(DeviceCaptureTest, SeesTheBytesBetweenTheProducerAndTheOverwrite) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    device_ = std::make_shared<FakeDevice>(test_seed() + seed);
    auto capture = make();
    EXPECT_EQ(
        count_wrong_captures(*device_, *capture,
                             {.seed = seed, .streams = 1 + seed % 4, .starts_late = seed % 2 == 0}),
        0u)
        << "seed " << seed;
    capture.reset();
    expect_clean();
  }
}

TEST_F(DeviceCaptureTest, SendsBuffersLargerThanTheWholeBudgetInPieces) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    device_ = std::make_shared<FakeDevice>(test_seed() + seed);
    auto capture = make({.staging_bytes = 1000 + seed * 37, .block_bytes = 300 + seed});
    EXPECT_EQ(
        count_wrong_captures(*device_, *capture, {.seed = seed, .smallest = 0, .largest = 20000}),
        0u)
        << "seed " << seed;
    EXPECT_LE(device_->pinned_peak(), 1000 + seed * 37);
    capture.reset();
    expect_clean();
  }
}

TEST_F(DeviceCaptureTest, CutsAtTheBlockSize) {
  auto capture = make({.staging_bytes = 4000, .block_bytes = 1000});
  std::vector<std::byte> buffer(4001);
  const auto captured = std::make_shared<Captured>();
  capture->capture(nullptr, buffer.data(), buffer.size(), collect(captured));
  capture->drain();
  EXPECT_EQ(captured->bytes, buffer);
  EXPECT_EQ(captured->pieces, 5u);
}

TEST_F(DeviceCaptureTest, PinsNothingBeforeTheFirstCaptureAndLittleForSmallBuffers) {
  auto capture = make();
  Gate gate;
  EXPECT_EQ(device_->pinned_in_use(), 0u);
  std::vector<std::byte> buffer(1000);
  for (int i = 0; i < 1000; ++i) {  // all held at once: the writer stands in the first sink
    capture->capture(nullptr, buffer.data(), buffer.size(),
                     collect(std::make_shared<Captured>(), [&] { gate.pass(); }));
  }
  EXPECT_EQ(device_->pinned_in_use(), std::size_t{1} << 20);
  gate.open();
  capture.reset();
  expect_clean();
}

TEST_F(DeviceCaptureTest, UsesStagingAgainInsteadOfPinningMore) {
  auto capture = make();
  std::vector<std::byte> buffer(300'000);
  for (int i = 0; i < 50; ++i) {
    capture->capture(nullptr, buffer.data(), buffer.size(), collect(std::make_shared<Captured>()));
    capture->drain();
  }
  EXPECT_EQ(device_->pinned_peak(), std::size_t{1} << 20);
}

TEST_F(DeviceCaptureTest, FinishesAnEmptyBufferWithoutAPiece) {
  auto capture = make();
  const auto captured = std::make_shared<Captured>();
  capture->capture(nullptr, nullptr, 0, collect(captured));
  capture->drain();
  EXPECT_TRUE(captured->is_finished);
  EXPECT_EQ(captured->pieces, 0u);
  EXPECT_EQ(device_->pinned_peak(), 0u);
}

// Works only while it is called: the device is paused but for settle().
class CalledDeviceQueue final : public FakeDeviceQueue {
 public:
  using FakeDeviceQueue::FakeDeviceQueue;
  void settle() noexcept override {
    device_->resume();
    device_->synchronize();
    device_->pause();
  }
};

TEST_F(DeviceCaptureTest, LetsADeviceThatWorksWhenCalledSettleBeforeItWaits) {
  device_->pause();
  auto capture = std::make_unique<DeviceCapture>(
      std::make_unique<CalledDeviceQueue>(device_),
      DeviceCapture::Options{.staging_bytes = 3000, .block_bytes = 1000}, troubles_.handler());
  std::vector<std::byte> buffer(900);
  const auto capture_some = [&](int count) {
    const auto captured = std::make_shared<Captured>();
    for (int i = 0; i < count; ++i) {
      capture->capture(nullptr, buffer.data(), buffer.size(), collect(captured));
    }
    return captured;
  };
  capture_some(10);  // the staging fills up
  device_->limit_memory(2000);
  capture_some(10);  // now the memory for snapshots does
  const auto drained = capture_some(1);
  capture->drain();
  EXPECT_TRUE(drained->is_finished);
  capture_some(1);
  capture.reset();
  device_->resume();
  expect_clean();
}

TEST_F(DeviceCaptureTest, DoesNotWaitForTheDevice) {
  device_->pause();
  auto capture = make();
  std::vector<std::byte> buffer(5'000'000);
  const auto captured = std::make_shared<Captured>();
  for (int i = 0; i < 10; ++i) {
    capture->capture(nullptr, buffer.data(), buffer.size(), collect(captured));
  }
  EXPECT_FALSE(captured->is_finished);  // and yet we are here
  device_->resume();
  capture->drain();
  EXPECT_EQ(captured->bytes.size(), 10 * buffer.size());
}

TEST_F(DeviceCaptureTest, DoesNotWaitForTheSinkUntilTheBudgetIsFullAndThenGoesOn) {
  constexpr std::size_t kBlock = 1000, kBlocks = 8;
  auto capture = make({.staging_bytes = kBlocks * kBlock, .block_bytes = kBlock});
  Gate gate;
  std::vector<std::byte> buffer(kBlock);
  const auto captured = std::make_shared<Captured>();
  const auto capture_one = [&] {
    capture->capture(nullptr, buffer.data(), buffer.size(),
                     collect(captured, [&] { gate.pass(); }));
  };
  for (std::size_t i = 0; i < kBlocks; ++i) capture_one();
  std::atomic<int> more{0};
  std::thread trainer([&] {
    for (int i = 0; i < 20; ++i) {
      capture_one();
      ++more;
    }
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(more, 0);
  gate.open();
  trainer.join();
  capture->drain();
  EXPECT_EQ(captured->pieces, kBlocks + 20);
  EXPECT_EQ(device_->pinned_peak(), kBlocks * kBlock);
  capture.reset();
  expect_clean();
}

TEST_F(DeviceCaptureTest, RunsAJobOnceEveryEarlierCaptureHasReachedItsSink) {
  auto capture = make({.staging_bytes = 2000, .block_bytes = 500});
  std::vector<std::byte> buffer(1200);
  std::vector<bool> seen;
  std::vector<int> order;
  for (int i = 0; i < 50; ++i) {
    const auto captured = std::make_shared<Captured>();
    capture->capture(i % 2 == 0 ? nullptr : device_->make_stream(), buffer.data(), buffer.size(),
                     collect(captured));
    capture->run_after([&, captured, i] {
      seen.push_back(captured->is_finished);
      order.push_back(i);
    });
  }
  capture->drain();
  EXPECT_EQ(seen, std::vector<bool>(50, true));
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST_F(DeviceCaptureTest, RunsJobsOnOneThreadThatIsNotTheCallers) {
  auto capture = make();
  std::vector<std::thread::id> ids;
  for (int i = 0; i < 3; ++i)
    capture->run_after([&] { ids.push_back(std::this_thread::get_id()); });
  capture->drain();
  ASSERT_EQ(ids.size(), 3u);
  EXPECT_EQ(ids[0], ids[2]);
  EXPECT_NE(ids[0], std::this_thread::get_id());
}

TEST_F(DeviceCaptureTest, LetsAJobQueueAnother) {
  auto capture = make();
  std::atomic<bool> ran{false};
  capture->run_after([&] { capture->run_after([&] { ran = true; }); });
  while (!ran) std::this_thread::yield();
}

TEST_F(DeviceCaptureTest, WaitsForWhatIsQueuedAtItsEnd) {
  std::vector<std::byte> buffer(100'000);
  const auto captured = std::make_shared<Captured>();
  make()->capture(nullptr, buffer.data(), buffer.size(), collect(captured));
  EXPECT_TRUE(captured->is_finished);
  expect_clean();
}

TEST_F(DeviceCaptureTest, EndsWithoutHavingBeenUsed) {
  auto capture = make();
  capture->drain();
  capture.reset();
  EXPECT_EQ(device_->calls(), 0u);
}

TEST_F(DeviceCaptureTest, KeepsTheBuffersOfSeveralThreadsApart) {
  auto capture = make({.staging_bytes = 3000, .block_bytes = 700});
  constexpr std::size_t kThreads = 4, kCaptures = 25, kBytes = 2500;
  device_->limit_memory(1400);
  std::vector<std::shared_ptr<Captured>> captured(kThreads * kCaptures);
  std::vector<std::size_t> pieces;  // whose, as they came
  std::vector<std::vector<std::byte>> buffers;
  for (std::size_t t = 0; t < kThreads; ++t) buffers.emplace_back(kBytes, std::byte(t + 1));
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t, stream = device_->make_stream()] {
      for (std::size_t i = 0; i < kCaptures; ++i) {
        const std::size_t id = t * kCaptures + i;
        captured[id] = std::make_shared<Captured>();
        capture->capture(stream, buffers[t].data(), kBytes,
                         collect(captured[id], [&, id] { pieces.push_back(id); }));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  capture->drain();
  for (std::size_t i = 0; i < captured.size(); ++i) {
    EXPECT_TRUE(captured[i]->is_finished);
    EXPECT_EQ(captured[i]->bytes, buffers[i / kCaptures]);
  }
  pieces.erase(std::unique(pieces.begin(), pieces.end()), pieces.end());
  EXPECT_EQ(pieces.size(), captured.size());  // no buffer's pieces within another's
  capture.reset();
  expect_clean();
}

TEST_F(DeviceCaptureTest, RefusesABudgetOfNothing) {
  EXPECT_ANY_THROW(make({.staging_bytes = 0}));
  EXPECT_ANY_THROW(make({.block_bytes = 0}));
}

}  // namespace
}  // namespace foxhunt::test
