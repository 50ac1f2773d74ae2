// SPDX-License-Identifier: MIT
#include "compare/report/exit_code.h"

#include <gtest/gtest.h>

#include "tests/compare/report/sample.h"

namespace foxhunt {
namespace {

constexpr ExitPolicy kPlain{}, kBisect{true, false}, kAccept{false, true};

TEST(ExitCode, IsThatOfDiffAndCmp) {
  EXPECT_EQ(exit_code(test::identical_comparison(), kPlain), 0);
  EXPECT_EQ(exit_code(test::diverged_comparison(), kPlain), 1);
  EXPECT_EQ(exit_code(test::unverified_comparison(), kPlain), 2);
}

TEST(ExitCode, TellsGitBisectToSkipOrToStop) {
  EXPECT_EQ(exit_code(test::identical_comparison(), kBisect), 0);
  EXPECT_EQ(exit_code(test::diverged_comparison(), kBisect), 1);
  EXPECT_EQ(exit_code(test::unverified_comparison(), kBisect), 125);
  EXPECT_EQ(usage_exit_code(kBisect), 129);
}

TEST(ExitCode, AcceptsWhatLiesWithinToleranceOnlyWhenAsked) {
  Comparison comparison = test::diverged_comparison();
  comparison.within_tolerance = true;
  EXPECT_EQ(exit_code(comparison, kPlain), 1);
  EXPECT_EQ(exit_code(comparison, kAccept), 0);
  comparison.within_tolerance = false;
  EXPECT_EQ(exit_code(comparison, kAccept), 1);
}

TEST(ExitCode, AcceptsNothingWhenNotEverythingWasCompared) {
  Comparison comparison = test::diverged_comparison();
  comparison.within_tolerance = true;
  comparison.everything_compared = false;
  EXPECT_EQ(exit_code(comparison, kAccept), 2);
  EXPECT_EQ(exit_code(comparison, {true, true}), 125);
}

}  // namespace
}  // namespace foxhunt
