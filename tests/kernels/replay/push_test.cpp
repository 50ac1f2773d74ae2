// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <memory>
#include <tuple>

#include "kernels/replay/replay_oracle.h"
#include "kernels/replay/rl_per_push_flush.h"
#include "kernels/replay/rl_per_push_ring.h"
#include "tests/kernels/replay/replay_fixture.h"

namespace foxhunt::test {
namespace {

// Pushes of `count` transitions each, every one through the same staging buffer.
struct Pushes {
  int count, pushes, capacity, head;
  ReplayShape shape{6, 11};

  HostTransitions transitions() const { return HostTransitions::random(count * pushes, shape, 81); }

  struct Results {
    HostTransitions ring;
    int head;
  };
  Results run(PushRingVariant push_variant = PushRingVariant::deterministic,
              PushFlushVariant flush_variant = PushFlushVariant::deterministic) const {
    const Stream stream, flush_stream;
    const HostTransitions all = transitions();
    const std::vector<int> none(static_cast<std::size_t>(capacity), -1);
    DeviceTransitions ring(all.rows(none, shape));
    DeviceArray<float> staging(static_cast<std::size_t>(count * staging_width(shape)));
    DeviceArray<int> ring_head(std::vector<int>{head});
    std::vector<std::unique_ptr<DeviceTransitions>> inputs;
    for (int push = 0; push < pushes; ++push) {
      std::vector<int> numbers;
      for (int i = 0; i < count; ++i) numbers.push_back(push * count + i);
      inputs.push_back(std::make_unique<DeviceTransitions>(all.rows(numbers, shape)));
    }
    cudaDeviceSynchronize();
    for (const auto& input : inputs) {
      rl_per_push_ring(read_only(input->rows()), count, shape, capacity, staging.get(),
                       ring_head.get(), stream.get(), push_variant);
      rl_per_push_flush(staging.get(), count, shape, ring.rows(), stream.get(), flush_stream.get(),
                        flush_variant);
    }
    cudaDeviceSynchronize();
    return {ring.read(), ring_head.read()[0]};
  }

  Bytes bytes(PushRingVariant push_variant, PushFlushVariant flush_variant) const {
    const Results results = run(push_variant, flush_variant);
    Bytes bytes;
    append(bytes, results.ring);
    append(bytes, std::vector<int>{results.head});
    return bytes;
  }
};

class Push : public testing::TestWithParam<std::tuple<int, int, int>> {
 protected:
  const Pushes pushes_{std::get<0>(GetParam()), std::get<1>(GetParam()), 16,
                       std::get<2>(GetParam())};
};

TEST_P(Push, FillsTheRingInOrder) {
  const auto results = pushes_.run();
  const int all = pushes_.count * pushes_.pushes;
  EXPECT_EQ(results.ring,
            pushes_.transitions().rows(oracle::ring_of_numbers(pushes_.capacity, pushes_.head, all),
                                       pushes_.shape));
  EXPECT_EQ(results.head, (pushes_.head + all) % pushes_.capacity);
}

TEST_P(Push, FillsTheSameRingUnderEverySchedule) {
  expect_schedule_invariant([&] {
    return pushes_.bytes(PushRingVariant::deterministic, PushFlushVariant::deterministic);
  });
}

// {transitions a push, pushes, head before}: none, one, around the ring's end and more than fit.
INSTANTIATE_TEST_SUITE_P(Sizes, Push,
                         testing::Values(std::tuple(0, 1, 3), std::tuple(1, 1, 15),
                                         std::tuple(5, 2, 0), std::tuple(5, 3, 13),
                                         std::tuple(16, 1, 7), std::tuple(7, 5, 2)));

// Claimed out of order, slots are still claimed once each.
TEST(Push, WithAnAtomicSlotKeepsTheSetOfTransitions) {
  const Pushes pushes{8, 1, 16, 12};
  const auto results = pushes.run(PushRingVariant::atomic_slot);
  EXPECT_EQ(results.head, 4);
  auto rewards = results.ring.rewards, expected = pushes.transitions().rewards;
  expected.resize(16, 0.0f);
  std::sort(rewards.begin(), rewards.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(rewards, expected);
}

TEST(Push, WithAnAtomicSlotDependsOnTheSchedule) {
  const Pushes pushes{8, 2, 32, 0};
  expect_schedule_dependent("rl_per_push_ring=atomic_slot", [&] {
    return pushes.bytes(PushRingVariant::atomic_slot, PushFlushVariant::deterministic);
  });
}

TEST(Push, WithUnsyncedStagingDependsOnTheSchedule) {
  const Pushes pushes{8, 3, 32, 0};
  expect_schedule_dependent("rl_per_push_flush=unsynced_staging", [&] {
    return pushes.bytes(PushRingVariant::deterministic, PushFlushVariant::unsynced_staging);
  });
}

}  // namespace
}  // namespace foxhunt::test
