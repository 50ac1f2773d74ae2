// SPDX-License-Identifier: MIT
// What the race detector says of the default of every kernel of the profile: nothing. The calls are
// those whose bandwidth is measured (tests/gpu/bandwidth), a few kilobytes each.
#include <gtest/gtest.h>

#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "dump/format/profile_json.h"
#include "tests/gpu/bandwidth/traffic.h"
#include "tests/kernels/races/race_test.h"

namespace foxhunt::test {

void PrintTo(const BandwidthRow& row, std::ostream* out) { *out << row.kernel; }

namespace {

std::vector<BandwidthRow> every_row() {
  std::vector<BandwidthRow> rows = step_rows();
  for (const auto& more : {encoder_rows(), head_rows()}) {
    rows.insert(rows.end(), more.begin(), more.end());
  }
  return rows;
}

class DefaultRaces : public RaceTest, public testing::WithParamInterface<BandwidthRow> {};

TEST_P(DefaultRaces, AreNone) {
  Traffic traffic(12 << 10);
  const auto call = GetParam().make(traffic);
  call(traffic.other_stream());
  expect_none(GetParam().kernel);
}

INSTANTIATE_TEST_SUITE_P(, DefaultRaces, testing::ValuesIn(every_row()),
                         [](const auto& instance) { return std::string(instance.param.kernel); });

TEST(DefaultRaceTable, HoldsEveryKernelOfTheProfile) {
  std::set<std::string> missing;
  for (const Maker& maker : builtin_profile().makers) {
    if (maker.kind == MakerKind::kernel) missing.insert(maker.name);
  }
  EXPECT_GT(missing.size(), 30u);
  for (const BandwidthRow& row : every_row()) missing.erase(row.kernel);
  EXPECT_EQ(missing, std::set<std::string>());
}

}  // namespace
}  // namespace foxhunt::test
