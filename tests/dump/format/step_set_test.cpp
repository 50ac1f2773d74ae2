// SPDX-License-Identifier: MIT
#include "dump/format/step_set.h"

#include <gtest/gtest.h>

#include "dump/format/error.h"

namespace foxhunt {
namespace {

TEST(StepSet, HoldsWhatItsTextSays) {
  const StepSet set = StepSet::parse("0-3,100,200-");
  for (const std::uint64_t in : {0ull, 3ull, 100ull, 200ull, ~0ull}) EXPECT_TRUE(set.contains(in));
  for (const std::uint64_t out : {4ull, 99ull, 101ull, 199ull}) EXPECT_FALSE(set.contains(out));
}

TEST(StepSet, HasANormalForm) {
  EXPECT_EQ(StepSet::parse("7,5,1-3,2-4,6").to_string(), "1-7");
  EXPECT_EQ(StepSet::parse("200-,0-3,100").to_string(), "0-3,100,200-");
  EXPECT_EQ(StepSet::parse("0-").to_string(), "all");
  EXPECT_EQ(StepSet::parse("5-,7").to_string(), "5-");
}

TEST(StepSet, CountsUnlessOpenEnded) {
  EXPECT_EQ(StepSet::parse("0-3,100").count(), 5u);
  EXPECT_EQ(StepSet::parse("0-3,100-").count(), std::nullopt);
}

TEST(StepSet, KnowsWhereAWindowStarts) {
  const StepSet set = StepSet::parse("0-3,100");
  EXPECT_TRUE(set.starts_window(0));
  EXPECT_FALSE(set.starts_window(1));
  EXPECT_TRUE(set.starts_window(100));
  EXPECT_FALSE(set.starts_window(4));
}

TEST(StepSet, RefusesEverythingElse) {
  for (const char* text : {"", ",", "1,", "a", "-1", "3-1", "1--2", "01", " 1", "1 ", "all,1",
                           "18446744073709551616"}) {
    EXPECT_THROW(StepSet::parse(text), Error) << text;
  }
}

TEST(StepSet, CountsTheStepsAfterOne) {
  const StepSet steps = StepSet::parse("2-4,9");
  EXPECT_EQ(steps.count_after(0), 4u);
  EXPECT_EQ(steps.count_after(2), 3u);
  EXPECT_EQ(steps.count_after(4), 1u);
  EXPECT_EQ(steps.count_after(8), 1u);
  EXPECT_EQ(steps.count_after(9), 0u);
  EXPECT_EQ(StepSet::parse("2-").count_after(100), std::nullopt);
  EXPECT_EQ(StepSet::parse("18446744073709551614").count_after(18446744073709551614u), 0u);
}

}  // namespace
}  // namespace foxhunt
