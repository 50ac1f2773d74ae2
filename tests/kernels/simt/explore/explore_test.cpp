// SPDX-License-Identifier: MIT
#include "kernels/simt/explore.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "dump/format/error.h"
#include "tests/kernels/simt/twins/twin.h"

namespace foxhunt {
namespace {

using ::testing::HasSubstr;

std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> result;
  for (const int value : values) result.push_back(static_cast<std::byte>(value));
  return result;
}

// What runs answer one after the other; the last answer for ever.
class Answers {
 public:
  explicit Answers(std::vector<std::vector<std::byte>> answers) : answers_(std::move(answers)) {}
  std::vector<std::byte> operator()() {
    const std::size_t at = std::min(asked_++, answers_.size() - 1);
    return answers_[at];
  }

 private:
  std::vector<std::vector<std::byte>> answers_;
  std::size_t asked_ = 0;
};

ExploreOptions without_trace(std::uint64_t schedules) {
  ExploreOptions options;
  options.schedules = schedules;
  options.minimise_budget = 0;
  return options;
}

TEST(Explore, FindsOneOutcomeWhereTheBytesNeverChange) {
  const Exploration found = explore([] { return bytes({1, 2}); });
  EXPECT_TRUE(found.schedule_invariant());
  EXPECT_EQ(found.schedules, 32u);
  ASSERT_EQ(found.outcomes.size(), 1u);
  EXPECT_EQ(found.outcomes[0].count, 32u);
  EXPECT_FALSE(found.divergence);
}

TEST(Explore, CountsOutcomesAndNamesTheFirstScheduleThatDiffers) {
  const Exploration found = explore(
      Answers({bytes({1, 2, 3}), bytes({1, 2, 3}), bytes({1, 9, 3}), bytes({7}), bytes({1, 2, 3})}),
      without_trace(10));
  EXPECT_FALSE(found.schedule_invariant());
  EXPECT_EQ(found.outcomes.size(), 3u);
  EXPECT_EQ(found.outcomes[0].count, 8u);
  ASSERT_TRUE(found.divergence);
  EXPECT_EQ(found.divergence->number, 2u);
  EXPECT_EQ(found.divergence->schedule.policy, simt::Policy::permute);
  EXPECT_EQ(found.divergence->outcome.bytes, bytes({1, 9, 3}));
  EXPECT_EQ(found.divergence->first_byte, 1u);
}

TEST(Explore, ComparesLengthsToo) {
  const Exploration found = explore(Answers({bytes({1, 2}), bytes({1, 2, 0})}), without_trace(2));
  ASSERT_TRUE(found.divergence);
  EXPECT_EQ(found.divergence->first_byte, 2u);
}

TEST(Explore, StopsAtTheFirstDifferenceIfTold) {
  ExploreOptions options = without_trace(10);
  options.stop_at_first = true;
  const Exploration found = explore(Answers({bytes({1}), bytes({2})}), options);
  EXPECT_EQ(found.schedules, 2u);
}

TEST(Explore, TakesAnExceptionForAnOutcome) {
  int runs = 0;
  const Exploration found = explore(
      [&] {
        if (++runs == 3) throw std::runtime_error("no luck");
        return bytes({1});
      },
      without_trace(5));
  ASSERT_TRUE(found.divergence);
  EXPECT_EQ(found.divergence->number, 2u);
  EXPECT_EQ(found.divergence->outcome.error, "no luck");
  EXPECT_FALSE(found.divergence->first_byte);
}

TEST(Explore, DoesNotCallAnErrorUnderAllSchedulesInvariant) {
  const Exploration found =
      explore([]() -> std::vector<std::byte> { throw std::runtime_error("never works"); });
  EXPECT_FALSE(found.schedule_invariant());
  EXPECT_FALSE(found.divergence);
  EXPECT_EQ(found.outcomes.size(), 1u);
}

TEST(Explore, SaysWhenTheSameScheduleLeadsElsewhere) {
  int runs = 0;
  const Exploration found = explore([&] { return bytes({++runs}); });
  ASSERT_TRUE(found.divergence);
  EXPECT_FALSE(found.divergence->repeats);
  EXPECT_FALSE(found.divergence->trace);
}

TEST(Explore, RefusesToRunNothing) {
  try {
    explore([] { return bytes({1}); }, without_trace(0));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_argument);
    EXPECT_THAT(error.what(), HasSubstr("0 schedules"));
  }
}

TEST(Explore, LeavesTheScheduleThatWasSet) {
  const simt::ScheduleScope scope(simt::schedule_for(5, 77));
  const std::uint64_t seed = simt::current_schedule().seed;
  explore([] { return bytes({1}); });
  EXPECT_EQ(simt::current_schedule().seed, seed);
}

TEST(Explore, TellsItsProgress) {
  std::vector<std::uint64_t> told;
  ExploreOptions options = without_trace(3);
  options.progress = [&](std::uint64_t done, std::uint64_t all) {
    told.push_back(done);
    EXPECT_EQ(all, 3u);
  };
  explore([] { return bytes({1}); }, options);
  EXPECT_EQ(told, (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST(Explore, HasOtherSchedulesForAnotherSeed) {
  const twins::Twin* const twin = twins::find_twin("random_numbers_by_arrival");
  const auto digest = [&](std::uint64_t seed) {
    ExploreOptions options = without_trace(4);
    options.seed = seed;
    return explore([&] { return twin->run(false); }, options).outcomes.back().digest;
  };
  EXPECT_EQ(digest(1), digest(1));
  EXPECT_NE(digest(1), digest(2));
}

TEST(Explore, NamesTheKernelThatFirstLeftOtherMemory) {
  const twins::Twin* const twin = twins::find_twin("float_atomic_sum");
  const Exploration found = explore([&] { return twin->run(false); });
  ASSERT_TRUE(found.divergence);
  EXPECT_THAT(found.divergence->kernel, HasSubstr("sum_by_atomics<float>"));
}

TEST(Explore, NamesTheKernelThatReadGarbageAndNotTheOneThatLeftIt) {
  const twins::Twin* const twin = twins::find_twin("uninitialised_scratch_tail");
  const Exploration found = explore([&] { return twin->run(false); });
  ASSERT_TRUE(found.divergence);
  EXPECT_THAT(found.divergence->kernel, HasSubstr("add_tile"));
}

TEST(ExploreTrace, SaysThatAnEmptyTraceLeadsNowhereElse) {
  const twins::Twin* const twin = twins::find_twin("float_atomic_sum");
  const Exploration found = explore_trace([&] { return twin->run(false); }, {});
  EXPECT_FALSE(found.divergence);
  EXPECT_TRUE(found.schedule_invariant());
}

}  // namespace
}  // namespace foxhunt
