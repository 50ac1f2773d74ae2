// SPDX-License-Identifier: MIT
#include "kernels/simt/schedule.h"

#include <gtest/gtest.h>

#include <set>

namespace foxhunt::simt {
namespace {

TEST(ScheduleFor, BeginsInOrderAndInReverseAndThenCycles) {
  EXPECT_EQ(schedule_for(0, 5).policy, Policy::in_order);
  EXPECT_EQ(schedule_for(1, 5).policy, Policy::reverse);
  for (std::uint64_t i = 2; i < 100; i += 4) {
    EXPECT_EQ(schedule_for(i, 5).policy, Policy::permute);
    EXPECT_EQ(schedule_for(i + 1, 5).policy, Policy::walk);
    EXPECT_EQ(schedule_for(i + 2, 5).policy, Policy::swarm);
    EXPECT_EQ(schedule_for(i + 3, 5).policy, Policy::pct);
    EXPECT_TRUE(schedule_for(i, 5).weak);
    EXPECT_TRUE(schedule_for(i + 1, 5).weak);
    EXPECT_FALSE(schedule_for(i + 3, 5).weak);
    EXPECT_EQ(schedule_for(i + 3, 5).pct_depth, 3u);
    EXPECT_EQ(schedule_for(i + 1, 5).eager == 0, (i + 1) % 2 == 1) << "every second is lazy";
  }
}

TEST(ScheduleFor, GivesEachNumberAndBaseItsOwnSeed) {
  std::set<std::uint64_t> seeds;
  for (std::uint64_t base = 0; base < 100; ++base) {
    for (std::uint64_t i = 0; i < 100; ++i) seeds.insert(schedule_for(i, base).seed);
  }
  EXPECT_EQ(seeds.size(), 10'000u);
}

TEST(ScheduleFor, HoldsToOnePolicyIfAsked) {
  const ScheduleOptions options{.only = Policy::pct, .weak = false, .points = 77};
  EXPECT_EQ(schedule_for(0, 1, options).policy, Policy::in_order);
  for (std::uint64_t i = 1; i < 20; ++i) {
    EXPECT_EQ(schedule_for(i, 1, options).policy, Policy::pct);
    EXPECT_EQ(schedule_for(i, 1, options).pct_length, 77u);
    EXPECT_FALSE(schedule_for(i, 1, options).weak);
  }
}

TEST(PolicyNames, AreReadBack) {
  for (const Policy policy : {Policy::in_order, Policy::reverse, Policy::permute, Policy::walk,
                              Policy::swarm, Policy::pct}) {
    EXPECT_EQ(policy_named(name(policy)), policy);
  }
  EXPECT_EQ(policy_named("sideways"), std::nullopt);
}

}  // namespace
}  // namespace foxhunt::simt
