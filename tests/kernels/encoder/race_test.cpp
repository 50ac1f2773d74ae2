// SPDX-License-Identifier: MIT
// What the race detector says of the encoder as a whole: nothing. Its word on the variants is in
// tests/kernels/races/variants_race_test.cpp.
#include <gtest/gtest.h>

#include "kernels/simt/races.h"
#include "kernels/simt/schedule.h"
#include "tests/kernels/encoder/encoder_chain.h"
#include "tests/kernels/encoder/sizes.h"

namespace foxhunt::test {
namespace {

TEST(EncoderRaces, ThereAreNoneByDefault) {
  simt::Schedule schedule;
  schedule.watchdog_ms = 0;  // writing a report takes long, and must not be cut short
  const simt::ScheduleScope in_order(schedule);
  EXPECT_TRUE(simt::detects_races());
  run_encoder_chain(small_encoder());
  for (const simt::Race& race : simt::take_races()) ADD_FAILURE() << race.text();
}

}  // namespace
}  // namespace foxhunt::test
