// SPDX-License-Identifier: MIT
// Each kind of bug is found, its repaired twin never differs, and a trace leads back to what was
// seen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/simt/explore.h"
#include "kernels/simt/sanitizers.h"
#include "tests/kernels/simt/twins/twin.h"
#include "tests/support/test_seed.h"

namespace foxhunt::twins {

void PrintTo(const Twin& twin, std::ostream* out) { *out << twin.name; }

namespace {

constexpr bool kInstrumented = std::string_view(FOXHUNT_TEST_BUILD) == "instrumented";

bool shows_in_this_build(const Twin& twin) {
  return kInstrumented || twin.needs == Needs::order || twin.needs == Needs::streams;
}

class Twins : public ::testing::TestWithParam<Twin> {
 protected:
  static Exploration explore_bug(const ExploreOptions& options) {
    return explore([] { return GetParam().run(false); }, options);
  }
  // AddressSanitizer ends the program at the bug itself.
  static bool ends_the_program() {
    return simt::sanitized() && std::string_view(GetParam().name) == "load_past_the_end";
  }
};

TEST_P(Twins, BugIsFoundWithin32Schedules) {
  if (ends_the_program()) GTEST_SKIP() << "AddressSanitizer finds it first";
  if (!shows_in_this_build(GetParam())) GTEST_SKIP() << "shows in the instrumented build only";
  ExploreOptions options;
  options.seed = test::test_seed();
  options.minimise_budget = 0;
  options.stop_at_first = true;
  const Exploration found = explore_bug(options);
  EXPECT_FALSE(found.schedule_invariant()) << GetParam().wrong;
}

std::uint64_t runs_wanted() {
  const char* const text = std::getenv("FOXHUNT_TWIN_RUNS");
  return text == nullptr ? 1000 : std::strtoull(text, nullptr, 10);
}

TEST_P(Twins, RepairedTwinLeavesTheSameBitsInEveryRun) {
  ExploreOptions options;
  options.seed = test::test_seed();
  options.schedules = runs_wanted();
  options.minimise_budget = 0;
  options.stop_at_first = true;
  const Exploration found = explore([] { return GetParam().run(true); }, options);
  EXPECT_TRUE(found.schedule_invariant())
      << "schedule " << (found.divergence ? found.divergence->number : 0) << ": "
      << found.outcomes.back().error;
  EXPECT_EQ(found.schedules, options.schedules);
  for (const ExploredDiagnostic& one : found.diagnostics) ADD_FAILURE() << one.diagnostic.text;
}

TEST_P(Twins, DiagnosticSaysWhatBitsDoNot) {
  if (ends_the_program()) GTEST_SKIP() << "AddressSanitizer finds it first";
  const std::string_view expected = GetParam().diagnostic;
  ExploreOptions options;
  options.seed = test::test_seed();
  options.minimise_budget = 0;
  const Exploration found = explore_bug(options);
  std::vector<std::string> said;
  for (const ExploredDiagnostic& one : found.diagnostics)
    said.emplace_back(simt::name(one.diagnostic.kind));
  if (expected.empty()) {
    EXPECT_THAT(said, ::testing::IsEmpty());
  } else {
    EXPECT_THAT(said, ::testing::Contains(expected));
  }
}

TEST_P(Twins, SmallTraceLeadsToTheSameBitsEveryTime) {
  if (ends_the_program()) GTEST_SKIP() << "AddressSanitizer finds it first";
  if (!shows_in_this_build(GetParam())) GTEST_SKIP() << "shows in the instrumented build only";
  ExploreOptions options;
  options.seed = test::test_seed();
  options.stop_at_first = true;
  options.minimise_budget = 100;
  const Exploration found = explore_bug(options);
  ASSERT_TRUE(found.divergence.has_value());
  const Divergence& divergence = *found.divergence;
  EXPECT_TRUE(divergence.repeats);
  ASSERT_TRUE(divergence.trace.has_value());
  EXPECT_LE(divergence.trace->decisions.size(), divergence.decisions_recorded);
  EXPECT_NE(divergence.outcome.digest, found.outcomes.front().digest);
  const simt::Trace stored = simt::Trace::parse(divergence.trace->text());
  for (int again = 0; again < 10; ++again) {
    const Exploration replayed = explore_trace([] { return GetParam().run(false); }, stored);
    ASSERT_TRUE(replayed.divergence.has_value());
    EXPECT_EQ(replayed.divergence->outcome.digest, divergence.outcome.digest);
  }
}

INSTANTIATE_TEST_SUITE_P(, Twins, ::testing::ValuesIn(all_twins().begin(), all_twins().end()),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST(TwinTable, NamesAreUnique) {
  for (const Twin& twin : all_twins()) EXPECT_EQ(find_twin(twin.name), &twin);
}

TEST(TwinTable, HoldsAtLeastTwentyFourKinds) { EXPECT_GE(all_twins().size(), 24u); }

}  // namespace
}  // namespace foxhunt::twins
