// SPDX-License-Identifier: MIT
// schedules.h on a GPU, which chooses its own order: a schedule is one more run.
#include <gtest/gtest.h>

#include <iostream>
#include <string_view>

#include "tests/kernels/support/schedules.h"

namespace foxhunt::test {

int first_difference(const Run& run, int count, std::uint64_t /*base_seed*/) {
  const Bytes expected = run();
  EXPECT_FALSE(expected.empty()) << "the run left nothing to compare";
  for (int i = 1; i < count; ++i) {
    if (run() != expected) return i;
  }
  return count;
}

void expect_schedule_invariant(const Run& run, int count) {
  EXPECT_EQ(first_difference(run, count), count) << "this run gives other bits than the first";
}

// Whether a defect shows on this device is a finding, not a promise.
void expect_schedule_dependent(std::string_view name, const Run& run) {
  constexpr int kTrials = 20;
  int detected = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    detected += first_difference(run) < kSchedules ? 1 : 0;
  }
  std::cout << name << ": on this device, seen in " << detected << " of " << kTrials
            << " trials of " << kSchedules << " runs\n";
}

}  // namespace foxhunt::test
