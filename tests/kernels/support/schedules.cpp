// SPDX-License-Identifier: MIT
#include "tests/kernels/support/schedules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "kernels/simt/schedule.h"
#include "tests/support/test_seed.h"

namespace foxhunt::test {
namespace {

int number_from_environment(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

// The first byte at which the two differ, for a failure's text.
std::size_t first_differing_byte(const Bytes& a, const Bytes& b) {
  const auto length = static_cast<std::ptrdiff_t>(std::min(a.size(), b.size()));
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.begin() + length, b.begin()).first -
                                  a.begin());
}

// first_difference(), and tells of the schedule, its bytes and those of schedule 0.
template <class Tell>
int find_difference(const Run& run, int count, std::uint64_t base_seed, const Tell& tell) {
  Bytes expected;
  simt::ScheduleOptions options;
  for (int i = 0; i < count; ++i) {
    const simt::Schedule schedule =
        simt::schedule_for(static_cast<std::uint64_t>(i), base_seed, options);
    const simt::ScheduleScope scope(schedule);
    const Bytes bytes = run();
    if (i == 0) {
      EXPECT_FALSE(bytes.empty()) << "the run left nothing to compare";
      expected = bytes;
      options.points = std::max<std::uint64_t>(simt::executed_points(), 1);
    } else if (bytes != expected) {
      tell(i, schedule, bytes, expected);
      return i;
    }
  }
  return count;
}

}  // namespace

int first_difference(const Run& run, int count, std::uint64_t base_seed) {
  return find_difference(run, count, base_seed, [](const auto&...) {});
}

void expect_schedule_invariant(const Run& run, int count) {
  find_difference(
      run, number_from_environment("FOXHUNT_TEST_SCHEDULES", count), test_seed(),
      [](int i, const simt::Schedule& schedule, const Bytes& bytes, const Bytes& expected) {
        ADD_FAILURE() << "schedule " << i << " (" << simt::describe(schedule)
                      << ") gives other bits, from byte " << first_differing_byte(bytes, expected)
                      << " of " << expected.size() << " on";
      });
}

void expect_schedule_dependent(std::string_view name, const Run& run) {
  constexpr int kTrials = 20;
  const int trials = number_from_environment("FOXHUNT_TEST_TRIALS", kTrials);
  std::vector<int> first;
  for (int trial = 0; trial < trials; ++trial) {
    first.push_back(first_difference(run, kSchedules,
                                     test_seed() + 1000003u * static_cast<std::uint64_t>(trial)));
  }
  std::sort(first.begin(), first.end());
  const auto detected =
      static_cast<int>(std::lower_bound(first.begin(), first.end(), kSchedules) - first.begin());
  std::cout << name << ": detected in " << detected << " of " << trials
            << " trials, median schedule " << first[first.size() / 2] << ", worst " << first.back()
            << "\n";
  EXPECT_GE(detected, trials > kTrials ? 0.99 * trials : trials) << name;
}

}  // namespace foxhunt::test
