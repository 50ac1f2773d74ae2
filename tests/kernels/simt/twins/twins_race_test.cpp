// SPDX-License-Identifier: MIT
// What the race detector says of each twin: the table's column `data_race`, and of no repaired one
// anything.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "kernels/simt/dialect.h"
#include "kernels/simt/races.h"
#include "kernels/simt/schedule.h"
#include "tests/kernels/simt/twins/twin.h"

namespace foxhunt::twins {

void PrintTo(const Twin& twin, std::ostream* out) { *out << twin.name; }

namespace {

// One run, in order, with all blocks resident: the detector asks for order, not for luck.
std::vector<simt::Race> races_of(const Twin& twin, bool fixed) {
  simt::Schedule schedule;
  schedule.resident = 8;
  schedule.watchdog_ms = 0;  // writing a report takes long, and must not be cut short
  const simt::ScheduleScope scope(schedule);
  twin.run(fixed);
  return simt::take_races();
}

std::string text(const std::vector<simt::Race>& races) {
  std::string all;
  for (const simt::Race& race : races) all += race.text() + "\n";
  return all;
}

class TwinRaces : public ::testing::TestWithParam<Twin> {};

TEST_P(TwinRaces, AreFoundWhereTheTableSaysSo) {
  ASSERT_TRUE(simt::detects_races());
  const std::vector<simt::Race> races = races_of(GetParam(), false);
  EXPECT_EQ(!races.empty(), GetParam().data_race) << GetParam().wrong << "\n" << text(races);
}

TEST_P(TwinRaces, AreNotFoundInTheRepairedTwin) { EXPECT_EQ(text(races_of(GetParam(), true)), ""); }

std::vector<Twin> twins_of(bool several_streams) {
  std::vector<Twin> chosen;
  for (const Twin& twin : all_twins()) {
    if ((twin.needs == Needs::streams) == several_streams) chosen.push_back(twin);
  }
  return chosen;
}

std::string name_of(const ::testing::TestParamInfo<Twin>& instance) { return instance.param.name; }

INSTANTIATE_TEST_SUITE_P(InAStream, TwinRaces, ::testing::ValuesIn(twins_of(false)), name_of);
// The detector orders launches, so that it has nothing to say here.
INSTANTIATE_TEST_SUITE_P(OfStreams, TwinRaces, ::testing::ValuesIn(twins_of(true)), name_of);

}  // namespace
}  // namespace foxhunt::twins
