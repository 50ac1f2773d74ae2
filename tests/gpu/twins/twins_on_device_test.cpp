// SPDX-License-Identifier: MIT
// The twins of tests/kernels/simt/twins on a real device: a repaired one leaves the same bits in
// every run, and how often a bug shows is counted and printed. A finding, not a promise: hardware
// has its own schedules.
//
// None is left out. All compile with nvcc, and none hangs a GPU from sm_70 on: those that spin wait
// for a block that has started, for another warp of their block, or for a lane that can go on by
// itself. Where a bug goes out of bounds, it stays within the allocator's granule.
//
// On the executor the same tests run a few times in order, so that they are known to be right
// before a device sees them.
#include <gtest/gtest.h>

#include <cstdio>
#include <exception>
#include <ostream>
#include <string>
#include <string_view>

#include "tests/gpu/twins/disturbance.h"
#include "tests/gpu/twins/outcomes.h"
#include "tests/kernels/simt/twins/twin.h"
#if defined(FOXHUNT_SIMT)
#include "kernels/simt/sanitizers.h"
#endif

namespace foxhunt::twins {

void PrintTo(const Twin& twin, std::ostream* out) { *out << twin.name; }

namespace {

constexpr bool kOnDevice = std::string_view(FOXHUNT_TEST_BUILD) == "cuda";
constexpr int kRuns = kOnDevice ? 400 : 3;
constexpr double kSeconds = 0.3;  // for each half of a pair: 43 s in all at most

class TwinsOnDevice : public testing::TestWithParam<Twin> {
 protected:
  static test::Outcomes<Bytes> outcomes(bool fixed) {
    test::Disturbance disturbance;
    return test::outcomes_of<Bytes>(
        [&](int number) {
          disturbance.before_run(static_cast<unsigned>(number));
          return GetParam().run(fixed);
        },
        kRuns, kSeconds);
  }

  static void print(const std::string& finding) {
    std::printf("twin %s: %s: %s\n", GetParam().name, finding.c_str(), GetParam().wrong);
    std::fflush(stdout);
  }

  // AddressSanitizer ends the program at the bug itself.
  static bool ends_the_program() {
#if defined(FOXHUNT_SIMT)
    return simt::sanitized() && std::string_view(GetParam().name) == "load_past_the_end";
#else
    return false;
#endif
  }

  // An error of a kernel stays with the device until then.
  static void reset_device() {
#if !defined(FOXHUNT_SIMT)
    cudaDeviceReset();
#endif
  }
};

TEST_P(TwinsOnDevice, BugIsLookedForAndRepairHolds) {
  const test::Outcomes<Bytes> repaired = outcomes(true);
  EXPECT_EQ(repaired.seen.size(), 1u) << repaired.unusual_runs() << " of " << repaired.runs()
                                      << " runs of the repaired twin differ";
  if (ends_the_program()) return;
  try {
    const test::Outcomes<Bytes> bug = outcomes(false);
    print(std::to_string(bug.unusual_runs()) + " of " + std::to_string(bug.runs()) +
          " runs differ, " + std::to_string(bug.seen.size()) + " outcomes, the usual one is " +
          (bug.usual() == repaired.usual() ? "the repaired twin's" : "another"));
  } catch (const std::exception& error) {
    print(error.what());
    reset_device();
  }
}

INSTANTIATE_TEST_SUITE_P(, TwinsOnDevice, testing::ValuesIn(all_twins().begin(), all_twins().end()),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST(Outcomes, CountRunsThatDifferFromTheUsualOne) {
  const auto outcomes =
      test::outcomes_of<int>([](int number) { return number % 5 == 3 ? number : 7; }, 20, 60);
  EXPECT_EQ(outcomes.runs(), 20);
  EXPECT_EQ(outcomes.usual(), 7);
  EXPECT_EQ(outcomes.unusual_runs(), 4);
  EXPECT_EQ(outcomes.seen.size(), 5u);
}

TEST(Outcomes, EndWithTheirTimeButNotBeforeTwoRuns) {
  EXPECT_EQ(test::outcomes_of<int>([](int) { return 0; }, 20, 0.0).runs(), 2);
  EXPECT_THROW(test::Outcomes<int>().usual(), std::logic_error);
}

}  // namespace
}  // namespace foxhunt::twins
