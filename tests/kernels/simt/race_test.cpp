// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/simt/diagnostics.h"
#include "kernels/simt/races.h"
#include "kernels/simt/schedule.h"
#include "tests/kernels/simt/device_buffer.h"
#include "tests/kernels/simt/dialect_kernels.h"
#include "tests/kernels/simt/faulty_kernels.h"
#include "tests/kernels/simt/weak_kernels.h"

namespace foxhunt::simt_test {
namespace {

using simt::Race;

// Races show in one run in order, whether or not anything went wrong in it.
class RaceDetector : public testing::Test {
 protected:
  RaceDetector() : scope_(simt::Schedule{}) { EXPECT_TRUE(simt::detects_races()); }

  static void expect_none(const char* what) {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (const Race& race : simt::take_races()) ADD_FAILURE() << what << ": " << race.text();
  }

  // A race of these lines of weak_kernels.cu, and no other.
  static void expect(Lines lines, const char* kernel) {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    const std::vector<Race> found = simt::take_races();
    EXPECT_FALSE(found.empty());
    for (const Race& race : found) {
      const auto ends = testing::EndsWith("tests/kernels/simt/weak_kernels.cu");
      EXPECT_THAT(race.first.file, ends);
      EXPECT_THAT(race.second.file, ends);
      EXPECT_EQ(std::minmax(race.first.line, race.second.line),
                std::minmax(lines.write, lines.read))
          << race.text();
      EXPECT_NE(race.first.write, race.second.write);
      EXPECT_THAT(race.kernel, testing::HasSubstr(kernel));
    }
  }

  void exchange_values(Between what) {
    lines_ = exchange(what, 3, scratch_.data(), out_.data(), nullptr);
  }
  void hand_value_over(Handover how) {
    flag_.clear();
    lines_ = hand_over(how, scratch_.data(), flag_.data(), out_.data(), nullptr);
  }

  simt::ScheduleScope scope_;
  DeviceBuffer<int> scratch_{3 * 64}, out_{3 * 64}, flag_{1};
  Lines lines_{};
};

TEST_F(RaceDetector, AcceptsBarriersAndFences) {
  exchange_values(Between::barrier);
  expect_none("barrier");
  exchange_values(Between::warp_barrier);
  expect_none("warp barrier");
  hand_value_over({});
  expect_none("fences");
}

TEST_F(RaceDetector, AcceptsTheDialectsKernels) {
  DeviceBuffer<float> x(std::vector<float>(64 * 9)), sums(9), y(64 * 9);
  scale(x.data(), 64 * 9, y.data(), nullptr);
  tree_sum(x.data(), 9, sums.data(), nullptr);
  warp_sum(x.data(), 9, sums.data(), nullptr);
  DeviceBuffer<unsigned> words(64 * 12), cells(12);
  collectives(words.data(), nullptr);
  DeviceBuffer<float> sum(1);
  DeviceBuffer<double> wide_sum(1);
  DeviceBuffer<unsigned long long> count(1);
  atomics(cells.data(), sum.data(), wide_sum.data(), count.data(), nullptr);
  expect_none("dialect");
}

TEST_F(RaceDetector, NamesBothLinesOfAMissingBarrier) {
  exchange_values(Between::nothing);
  expect(lines_, "exchange_kernel");
}

TEST_F(RaceDetector, NamesBothLinesOfAMissingFence) {
  hand_value_over({.writer_fence = false});
  expect(lines_, "hand_over_kernel");
  hand_value_over({.reader_fence = false});
  expect(lines_, "hand_over_kernel");
}

TEST_F(RaceDetector, TellsARaceAgainInTheNextRun) {
  for (int run = 0; run < 3; ++run) {
    exchange_values(Between::nothing);
    expect(lines_, "exchange_kernel");
  }
}

TEST_F(RaceDetector, NamesBothLinesWhenTheFirstThreadEndedLongAgo) {
  constexpr int kBlocks = 4;
  DeviceBuffer<int> word(1), out(64 * kBlocks);
  word.clear();
  out.clear();
  lines_ = long_ago(kBlocks, word.data(), out.data(), nullptr);
  expect(lines_, "long_ago_kernel");
}

// A report takes far longer than the access that it is about.
TEST_F(RaceDetector, DoesNotTakeManyReportsForASpin) {
  DeviceBuffer<int> word(1);
  races_many_times(word.data(), 5'000, nullptr);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (const auto& d : simt::diagnostics()) ADD_FAILURE() << d.text;
  EXPECT_EQ(simt::take_races().size(), 1u);
}

TEST_F(RaceDetector, EndsASpinThatRacesAllTheTime) {
  DeviceBuffer<int> word(1);
  const int line = spin_on_racing_load(word.data(), nullptr);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchTimeout);
  cudaGetLastError();
  const auto found = simt::take_diagnostics();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, simt::DiagnosticKind::spin);
  EXPECT_EQ(found[0].line, line) << found[0].text;
  EXPECT_EQ(simt::take_races().size(), 1u);
  exchange_values(Between::barrier);
  expect_none("afterwards");
}

TEST_F(RaceDetector, GoesOnAfterALaunchThatWasGivenUp) {
  barrier_in_divergent_branch(nullptr);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  cudaGetLastError();
  spin_on_plain_load(flag_.data(), nullptr);
  flag_.clear();
  spin_on_plain_load(flag_.data(), nullptr);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchTimeout);
  cudaGetLastError();
  exchange_values(Between::barrier);
  expect_none("after giving up");
}

}  // namespace
}  // namespace foxhunt::simt_test
