// SPDX-License-Identifier: MIT
// What happens when capturing cannot go on: it ends once, drops the rest, gives everything back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <thread>

#include "dump/capture/device_capture.h"
#include "tests/dump/capture/device_scenario.h"
#include "tests/support/test_seed.h"

namespace foxhunt::test {
namespace {

class DeviceTrouble : public testing::Test {
 protected:
  void start(DeviceCapture::Options options = {}) {
    capture_ = std::make_unique<DeviceCapture>(device_->queue(), options, troubles_.handler());
  }
  std::shared_ptr<Captured> capture(std::size_t bytes, DeviceQueue::Stream stream = nullptr) {
    buffer_.resize(std::max(buffer_.size(), bytes));
    auto captured = std::make_shared<Captured>();
    capture_->capture(stream, buffer_.data(), bytes, collect(captured));
    return captured;
  }
  // Capturing is off: calls return at once and do nothing; and it leaves nothing behind.
  void expect_off_and_clean() {
    capture_->drain();
    EXPECT_EQ(troubles_.count(), 1u);
    const auto calls = device_->calls();
    bool ran = false;
    const auto captured = capture(1'000'000);
    capture_->run_after([&] { ran = true; });
    capture_->drain();
    EXPECT_FALSE(captured->is_finished);
    EXPECT_FALSE(ran);
    EXPECT_EQ(device_->calls(), calls);
    capture_.reset();
    device_->synchronize();
    EXPECT_EQ(troubles_.count(), 1u);
    EXPECT_EQ(device_->memory_in_use(), 0u);
    EXPECT_EQ(device_->pinned_in_use(), 0u);
    EXPECT_THAT(device_->violations(), testing::IsEmpty());
  }

  std::vector<std::byte> buffer_;
  TroubleLog troubles_;
  std::shared_ptr<FakeDevice> device_ = std::make_shared<FakeDevice>(test_seed());
  std::unique_ptr<DeviceCapture> capture_;
};

TEST_F(DeviceTrouble, AStreamBeingCapturedIntoAGraphEndsCapturingWithAdvice) {
  start();
  const auto stream = device_->make_stream();
  device_->set_being_captured(stream, true);
  EXPECT_FALSE(capture(100, stream)->is_finished);
  EXPECT_THAT(troubles_.text(), testing::HasSubstr("graph"));
  EXPECT_THAT(troubles_.text(), testing::HasSubstr("place the hook after the graph's launch"));
  EXPECT_EQ(device_->pinned_peak(), 0u);
  expect_off_and_clean();
}

TEST_F(DeviceTrouble, NoMemoryForASnapshotWhileNoneIsInFlightEndsCapturing) {
  device_->limit_memory(999);
  start();
  EXPECT_FALSE(capture(1000)->is_finished);
  EXPECT_THAT(troubles_.text(), testing::HasSubstr("no device memory for a snapshot of 1000"));
  expect_off_and_clean();
}

TEST_F(DeviceTrouble, NoMemoryForASnapshotWhileOthersAreInFlightOnlyWaits) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    device_ = std::make_shared<FakeDevice>(test_seed() + seed);
    device_->limit_memory(1000);
    start();
    EXPECT_EQ(count_wrong_captures(*device_, *capture_, {.seed = seed}), 0u);
  }
  EXPECT_EQ(troubles_.text(), "");
}

TEST_F(DeviceTrouble, NoPinnedMemoryAtAllEndsCapturing) {
  device_->limit_pinned(10);
  start();
  EXPECT_FALSE(capture(1000)->is_finished);
  EXPECT_THAT(troubles_.text(), testing::HasSubstr("no pinned host memory"));
  expect_off_and_clean();
}

TEST_F(DeviceTrouble, LessPinnedMemoryThanTheBudgetOnlyWaits) {
  device_->limit_pinned(1500);
  start({.staging_bytes = 10'000, .block_bytes = 1000});
  const auto captured = capture(20'000);
  capture_->drain();
  EXPECT_TRUE(captured->is_finished);
  // Once at the most, where the writer is slow to give back: it does not ask again and again.
  EXPECT_LE(device_->pinned_refusals(), 1u);
  EXPECT_EQ(troubles_.text(), "");
}

TEST_F(DeviceTrouble, ASinkThatThrowsEndsCapturing) {
  start();
  buffer_.resize(100);
  capture_->capture(
      nullptr, buffer_.data(), buffer_.size(),
      collect(std::make_shared<Captured>(), [] { throw std::runtime_error("full"); }));
  capture_->drain();
  EXPECT_EQ(troubles_.text(), "full");
  expect_off_and_clean();
}

TEST_F(DeviceTrouble, AJobThatThrowsEndsCapturing) {
  start();
  capture_->run_after([] { throw std::runtime_error("job"); });
  capture_->drain();
  EXPECT_EQ(troubles_.text(), "job");
  expect_off_and_clean();
}

TEST_F(DeviceTrouble, GivesPinnedMemoryBackWithoutWaitingForItsOwnEnd) {
  start();
  capture(100'000);
  capture_->drain();
  EXPECT_GT(device_->pinned_in_use(), 0u);
  capture_->run_after([] { throw std::runtime_error("job"); });
  capture_->drain();
  for (int tries = 0; tries < 10'000 && device_->pinned_in_use() > 0; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(device_->pinned_in_use(), 0u);
}

// The n-th call fails, for every n that the scenario has, once or for good.
class EveryCallFails : public DeviceTrouble, public testing::WithParamInterface<FakeDevice::Fault> {
 protected:
  void run() {
    start({.staging_bytes = 1000, .block_bytes = 200});
    count_wrong_captures(*device_, *capture_,
                         {.seed = 1, .streams = 2, .captures = 5, .largest = 900});
  }
};

TEST_P(EveryCallFails, EndsCapturingOnceAndGivesEverythingBack) {
  run();
  const auto calls = device_->calls();
  ASSERT_GT(calls, 50u);
  for (std::uint64_t n = 0; n < calls; ++n) {
    SCOPED_TRACE(n);
    device_ = std::make_shared<FakeDevice>(test_seed() + n);
    device_->fail_call(n, GetParam());
    troubles_ = {};
    run();
    if (troubles_.count() == 0) continue;  // the writer was quicker this time: fewer calls
    EXPECT_THAT(troubles_.text(), testing::HasSubstr("the fake device"));
    expect_off_and_clean();
  }
}

INSTANTIATE_TEST_SUITE_P(AllFaults, EveryCallFails,
                         testing::Values(FakeDevice::Fault::once, FakeDevice::Fault::for_good),
                         [](const auto& param) {
                           return param.param == FakeDevice::Fault::once ? "Once" : "ForGood";
                         });

TEST_F(DeviceTrouble, ADeviceThatDiesWhileTheTrainerWaitsForStagingLetsItGoOn) {
  device_->pause();
  start({.staging_bytes = 1000, .block_bytes = 200});
  std::thread trainer([&] { capture(100'000); });  // waits: nothing runs while paused
  while (device_->pinned_in_use() < 1000) std::this_thread::yield();
  device_->die();
  trainer.join();
  capture_->drain();  // the trainer goes on as soon as capturing is off, before that is told
  EXPECT_THAT(troubles_.text(), testing::HasSubstr("the fake device"));
  expect_off_and_clean();
}

}  // namespace
}  // namespace foxhunt::test
