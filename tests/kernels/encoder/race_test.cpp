// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/simt/races.h"
#include "kernels/simt/schedule.h"
#include "tests/kernels/encoder/encoder_chain.h"
#include "tests/kernels/encoder/sizes.h"

namespace foxhunt::test {
namespace {

std::vector<simt::Race> races_of(const EncoderSizes& sizes, const EncoderVariants& variants = {}) {
  simt::Schedule schedule;
  schedule.watchdog_ms = 0;  // writing a report takes long, and must not be cut short
  const simt::ScheduleScope in_order(schedule);
  EXPECT_TRUE(simt::detects_races());
  run_encoder_chain(sizes, variants);
  return simt::take_races();
}

// A few races say as much as a thousand.
EncoderSizes tiny_encoder() { return {1, 2, 2, 2, 4, 1, 1}; }

// EXPECTs races, all between two lines of this file in functions of these names.
void expect_races(const std::vector<simt::Race>& races, const std::string& file,
                  const testing::Matcher<const std::string&>& function) {
  EXPECT_FALSE(races.empty());
  for (const simt::Race& race : races) {
    EXPECT_THAT(race.first.file, testing::EndsWith(file)) << race.text();
    EXPECT_THAT(race.second.file, testing::EndsWith(file)) << race.text();
    EXPECT_THAT(race.first.function, function) << race.text();
    EXPECT_THAT(race.second.function, function) << race.text();
  }
}

TEST(EncoderRaces, ThereAreNoneByDefault) {
  for (const simt::Race& race : races_of(small_encoder())) ADD_FAILURE() << race.text();
}

// Float atomics are ordered, if by chance.
TEST(EncoderRaces, AtomicsAreNone) {
  EncoderVariants variants;
  variants.cfc = CfcBackwardVariant::float_atomics;
  variants.mamba2 = Mamba2Variant::split_k_atomic;
  for (const simt::Race& race : races_of(small_encoder(), variants)) ADD_FAILURE() << race.text();
}

TEST(EncoderRaces, WarpNoSyncRacesInTheLanesTree) {
  EncoderVariants variants;
  variants.attention_pool = AttentionPoolBwdVariant::warp_no_sync;
  expect_races(races_of(tiny_encoder(), variants), "kernels/encoder/attention_pool.cu",
               testing::HasSubstr("join_lanes"));
}

TEST(EncoderRaces, MissingBarrierRacesOverTheMixesGradients) {
  EncoderVariants variants;
  variants.variable_selection = VariableSelectionBwdVariant::missing_barrier;
  expect_races(
      races_of(small_encoder(), variants), "kernels/encoder/variable_selection.cu",
      testing::AnyOf(testing::HasSubstr("gate_backward"), testing::HasSubstr("softmax_backward")));
}

}  // namespace
}  // namespace foxhunt::test
