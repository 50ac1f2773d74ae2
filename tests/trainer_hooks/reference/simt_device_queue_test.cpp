// SPDX-License-Identifier: MIT
#include "trainer_hooks/reference/simt_device_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "dump/format/error.h"
#include "tests/trainer_hooks/reference/simt_capture_fixture.h"

namespace foxhunt::test {
namespace {

using testing::HasSubstr;

TEST_F(SimtCapture, SeesTheBytesBetweenTheProducerAndTheOverwrite) {
  for (std::uint64_t schedule = 0; schedule < 200; ++schedule) {
    const simt::ScheduleScope scope(capture_schedule(schedule));
    const CaptureBuffer buffer;
    const CaptureStream stream;
    const auto all = make();
    std::vector<std::shared_ptr<Captured>> rounds;
    for (int round = 1; round <= 3; ++round) {
      fill_ramp(buffer.get(), static_cast<float>(round), stream);
      rounds.push_back(capture(*all, stream, buffer));
      fill_ramp(buffer.get(), -1, stream);
    }
    if (schedule % 2 == 0) cudaStreamSynchronize(stream);
    all->drain();
    for (int round = 1; round <= 3; ++round) {
      ASSERT_TRUE(
          holds_ramp(*rounds[static_cast<std::size_t>(round - 1)], static_cast<float>(round)))
          << "schedule " << schedule << ", round " << round;
    }
  }
  EXPECT_EQ(troubles_.text(), "");
}

// b is made of a, and a is overwritten once that is done: each capture belongs to its own stream.
TEST_F(SimtCapture, KeepsTwoStreamsInTheOrderOfTheirEvents) {
  for (std::uint64_t schedule = 0; schedule < 200; ++schedule) {
    const simt::ScheduleScope scope(capture_schedule(schedule));
    const CaptureBuffer a, b;
    const CaptureStream first, second;
    cudaEvent_t made = nullptr, used = nullptr;
    cudaEventCreate(&made);
    cudaEventCreate(&used);
    const auto all = make();
    std::vector<std::shared_ptr<Captured>> of_a, of_b;
    for (int round = 0; round < 3; ++round) {
      fill_ramp(a.get(), static_cast<float>(10 * round), first);
      cudaEventRecord(made, first);
      of_a.push_back(capture(*all, first, a));
      cudaStreamWaitEvent(second, made);
      add_one(a.get(), b.get(), second);
      of_b.push_back(capture(*all, second, b));
      cudaEventRecord(used, second);
      cudaStreamWaitEvent(first, used);
    }
    all->drain();
    for (std::size_t round = 0; round < 3; ++round) {
      const auto value = static_cast<float>(10 * round);
      ASSERT_TRUE(holds_ramp(*of_a[round], value)) << "schedule " << schedule;
      ASSERT_TRUE(holds_ramp(*of_b[round], value + 1)) << "schedule " << schedule;
    }
    cudaEventDestroy(made);
    cudaEventDestroy(used);
  }
  EXPECT_EQ(troubles_.text(), "");
}

TEST_F(SimtCapture, LeavesTheStreamToItself) {
  const simt::ScheduleScope scope(simt::Schedule{});  // nothing runs before somebody waits
  const CaptureBuffer buffer;
  const CaptureStream stream;
  const auto all = make();
  fill_ramp(buffer.get(), 5, stream);
  const std::uint64_t before = simt::executed_points();
  const auto captured = capture(*all, stream, buffer);
  EXPECT_EQ(simt::executed_points(), before);
  EXPECT_FALSE(captured->is_finished);
  EXPECT_EQ(buffer.get()[7], 0);
  cudaStreamSynchronize(stream);
  all->drain();
  EXPECT_TRUE(holds_ramp(*captured, 5));
}

// The trainer's thread must not wait for a writer that waits for the trainer's thread.
TEST_F(SimtCapture, WorksOffWhatIsQueuedWhenStagingOrMemoryIsFull) {
  constexpr std::size_t kMemory = std::size_t{1} << 20, kSpare = 10000;
  for (const bool little_memory : {false, true}) {
    const simt::ScheduleScope scope(capture_schedule(3));
    const CaptureBuffer buffer;
    const CaptureStream stream;
    auto queue = make_simt_device_queue(kMemory);
    void* const elsewhere = queue->allocate(little_memory ? kMemory - kSpare : 1, stream);
    const DeviceCapture::Options little_staging{.staging_bytes = kSpare, .block_bytes = 5000};
    DeviceCapture all(std::move(queue), little_memory ? DeviceCapture::Options() : little_staging,
                      troubles_.handler());
    std::vector<std::shared_ptr<Captured>> rounds;
    for (int round = 0; round < 30; ++round) {
      fill_ramp(buffer.get(), static_cast<float>(round), stream);
      rounds.push_back(capture(all, stream, buffer));
    }
    all.drain();
    all.queue().release(elsewhere);
    for (int round = 0; round < 30; ++round) {
      ASSERT_TRUE(holds_ramp(*rounds[static_cast<std::size_t>(round)], static_cast<float>(round)));
    }
    EXPECT_EQ(troubles_.text(), "");
  }
}

TEST_F(SimtCapture, ReportsAStreamThatDoesNotExist) {
  const CaptureBuffer buffer;
  int other = 0;
  auto all = make();
  all->capture(&other, buffer.get(), 4, collect(std::make_shared<Captured>()));
  EXPECT_THAT(troubles_.text(), HasSubstr("from a stream that does not exist"));
  simt::set_schedule({});  // forgets the misuse
}

TEST_F(SimtCapture, ReportsMemoryThatIsNotTheDevices) {
  const CaptureBuffer buffer;
  auto all = make();
  all->capture(nullptr, buffer.get() + 1, CaptureBuffer::kBytes,
               collect(std::make_shared<Captured>()));
  EXPECT_THAT(troubles_.text(), HasSubstr("4000 bytes of device memory are to be dumped, but the "
                                          "allocation has 3996 from there on"));
  TroubleLog others;
  DeviceCapture second(make_simt_device_queue(), {}, others.handler());
  const float on_the_host = 1;
  second.capture(nullptr, &on_the_host, 4, collect(std::make_shared<Captured>()));
  EXPECT_THAT(others.text(), HasSubstr("the allocation has 0 from there on"));
}

TEST(SimtDeviceQueue, HasNoMemoryBeyondItsBound) {
  const auto queue = make_simt_device_queue(1000);
  void* const memory = queue->allocate(600, nullptr);
  std::byte* const pinned = queue->allocate_pinned(1000);
  EXPECT_NE(memory, nullptr);
  EXPECT_NE(pinned, nullptr);
  EXPECT_EQ(queue->allocate(401, nullptr), nullptr);
  EXPECT_EQ(queue->allocate_pinned(1), nullptr);
  void* const rest = queue->allocate(400, nullptr);
  EXPECT_NE(rest, nullptr);
  queue->release(memory);
  void* const again = queue->allocate(600, nullptr);
  EXPECT_NE(again, nullptr);
  queue->release(rest);
  queue->release(again);
  queue->release_pinned(pinned);
}

TEST(SimtDeviceQueue, LetsAnotherThreadWaitWithoutRunningTheExecutorThere) {
  const CaptureBuffer buffer;
  const CaptureStream stream;
  const auto queue = make_simt_device_queue();
  void* const memory = queue->allocate(CaptureBuffer::kBytes, stream);
  std::byte* const pinned = queue->allocate_pinned(CaptureBuffer::kBytes);
  fill_ramp(buffer.get(), 3, stream);
  queue->snapshot(stream, memory, buffer.get(), CaptureBuffer::kBytes);
  const auto event = queue->copy_out(stream, pinned, memory, CaptureBuffer::kBytes);
  float seen = 0;
  std::thread waiter([&] {
    queue->wait(event);
    std::memcpy(&seen, pinned + 4 * sizeof(float), sizeof seen);
  });
  cudaStreamSynchronize(stream);
  waiter.join();
  EXPECT_EQ(seen, 7);
  queue->wait(event);  // waited for before: returns at once
  queue->release(memory);
  queue->release_pinned(pinned);
}

TEST(SimtDeviceQueue, KeepsASnapshotWhoseStreamPassedBeforeItsCopyWasAskedFor) {
  const CaptureBuffer buffer;
  const CaptureStream stream;
  const auto queue = make_simt_device_queue();
  void* const memory = queue->allocate(CaptureBuffer::kBytes, stream);
  std::byte* const pinned = queue->allocate_pinned(CaptureBuffer::kBytes);
  fill_ramp(buffer.get(), 3, stream);
  queue->snapshot(stream, memory, buffer.get(), CaptureBuffer::kBytes);
  fill_ramp(buffer.get(), -1, stream);
  cudaStreamSynchronize(stream);
  queue->wait(queue->copy_out(stream, pinned, memory, CaptureBuffer::kBytes));
  float seen = 0;
  std::memcpy(&seen, pinned + 4 * sizeof(float), sizeof seen);
  EXPECT_EQ(seen, 7);
  queue->release(memory);
  queue->release_pinned(pinned);
}

TEST(SimtDeviceQueue, KeepsASnapshotThatWasGivenBackUntilItsStreamHasPassed) {
  const simt::ScheduleScope scope(simt::Schedule{});
  const CaptureBuffer buffer;
  const CaptureStream stream;
  auto queue = make_simt_device_queue();
  void* const memory = queue->allocate(CaptureBuffer::kBytes, stream);
  fill_ramp(buffer.get(), 3, stream);
  queue->snapshot(stream, memory, buffer.get(), CaptureBuffer::kBytes);
  queue->release(memory);  // as if copy_out had refused it
  queue.reset();
  cudaStreamSynchronize(stream);  // AddressSanitizer would see a late copy
}

TEST(SimtDeviceQueue, TellsTheScheduleForTheManifest) {
  const simt::ScheduleScope scope(capture_schedule(3));
  const auto provenance = make_simt_device_queue()->provenance();
  EXPECT_THAT(provenance.at("gpu"), HasSubstr("none"));
  EXPECT_EQ(provenance.at("schedule"), simt::describe(capture_schedule(3)));
  EXPECT_EQ(provenance.at("schedule_seed"), std::to_string(capture_schedule(3).seed));
}

}  // namespace
}  // namespace foxhunt::test
