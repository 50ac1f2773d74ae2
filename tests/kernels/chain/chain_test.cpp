// SPDX-License-Identifier: MIT
// The same bits from every kernel in every build, under every schedule, by every compiler and on
// every GPU: all of them are held against one table.
#include "tests/kernels/chain/chain.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "dump/format/digest.h"
#include "tests/kernels/support/schedules.h"

namespace foxhunt::test {
namespace {

constexpr std::pair<std::string_view, std::string_view> kExpected[] = {
#include "tests/kernels/chain/expected_digests.inc"
};

std::string digest(const ChainOutput& output) {
  return format_digest(payload_digest(output.bytes));
}

Bytes bytes_of_chain() {
  Bytes all;
  for (const ChainOutput& output : run_chain()) append(all, output.bytes);
  return all;
}

// Names the first kernel whose bits are others. FOXHUNT_TEST_PRINT_DIGESTS=1 prints the table anew.
TEST(Chain, GivesTheBitsThatEveryBuildGives) {
  const std::vector<ChainOutput> outputs = run_chain();
  if (std::getenv("FOXHUNT_TEST_PRINT_DIGESTS") != nullptr) {
    for (const ChainOutput& output : outputs) {
      std::cout << "{\"" << output.name << "\", \"" << digest(output) << "\"},\n";
    }
  }
  std::map<std::string_view, std::string> digests;
  for (const ChainOutput& output : outputs) digests[output.name] = digest(output);
  ASSERT_EQ(digests.size(), std::size(kExpected));
  for (const auto& [name, expected] : kExpected) {
    ASSERT_EQ(digests[name], expected) << name << " is the first output with other bits";
  }
}

TEST(Chain, IsTheSameUnderEverySchedule) { expect_schedule_invariant(bytes_of_chain, 12); }

// An output of nothing but equal elements was never computed, or hides what it is made of. (In the
// first step all priorities are still equal.)
TEST(Chain, ComputesSomethingEverywhere) {
  for (const ChainOutput& output : run_chain()) {
    EXPECT_FALSE(output.bytes.empty()) << output.name;
    if (output.name.starts_with("0 ") || output.bytes.size() == 4) continue;
    bool varies = false;
    for (std::size_t i = 4; i < output.bytes.size(); ++i) {
      varies |= output.bytes[i] != output.bytes[i - 4];
    }
    EXPECT_TRUE(varies) << output.name;
  }
}

}  // namespace
}  // namespace foxhunt::test
