// SPDX-License-Identifier: MIT
#include "kernels/simt/explore/case_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/simt/explore/progress_line.h"

namespace foxhunt {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

CaseReport invariant_case() {
  CaseReport report;
  report.name = "tree_sum";
  report.file = "sums.cu";
  report.line = 7;
  report.exploration.schedules = 32;
  report.exploration.outcomes.push_back({0, 32, {}, "", 1});
  return report;
}

CaseReport dependent_case() {
  CaseReport report = invariant_case();
  report.name = "atomic_sum";
  report.exploration.outcomes[0].count = 20;
  report.exploration.outcomes.push_back({3, 12, {}, "", 2});
  Divergence divergence;
  divergence.number = 3;
  divergence.schedule = simt::schedule_for(3, 0);
  divergence.kernel = "sum_by_atomics";
  divergence.trace.emplace();
  divergence.trace->decisions.resize(2);
  divergence.decisions_recorded = 99;
  divergence.first_byte = 4;
  report.exploration.divergence = divergence;
  report.trace_file = "atomic_sum.trace";
  report.difference = {"sum", "f32", 1, 2, 2, 1, "0.5", "0.25", "3f000000", "3e800000"};
  return report;
}

CaseReport race_case() {
  CaseReport report = invariant_case();
  simt::Race race;
  race.first = {false, false, 4, "turn_round", "tile.cu", 12};
  race.second = {true, false, 4, "turn_round", "tile.cu", 11};
  race.kernel = "turn_round";
  report.exploration.races.push_back(race);
  return report;
}

CaseReport failing_case() {
  CaseReport report = invariant_case();
  report.exploration.outcomes[0].error = "spin.cu:4: no progress";
  report.exploration.diagnostics.push_back(
      {{simt::DiagnosticKind::spin, true, "spin", "spin.cu", 4, "spin.cu:4: no progress"}, 0});
  return report;
}

TargetReport target_of(std::vector<CaseReport> cases) {
  TargetReport report;
  report.target = "build/sums";
  report.build = "instrumented";
  report.policy = "cycle";
  report.cases = std::move(cases);
  return report;
}

TEST(CaseReport, HasTheVerdictOfWhatWasSeen) {
  EXPECT_EQ(verdict(invariant_case()), CaseVerdict::invariant);
  EXPECT_EQ(verdict(dependent_case()), CaseVerdict::schedule_dependent);
  EXPECT_EQ(verdict(race_case()), CaseVerdict::race);
  EXPECT_EQ(verdict(failing_case()), CaseVerdict::failed);
}

TEST(CaseReport, IsNotInvariantAfterAMistakeThatLeftTheBitsAlone) {
  CaseReport report = invariant_case();
  report.exploration.diagnostics.push_back(
      {{simt::DiagnosticKind::shuffle_source, false, "k", "k.cu", 4, "k.cu:4: undefined"}, 0});
  EXPECT_EQ(verdict(report), CaseVerdict::failed);
}

TEST(ExitCode, IsOneForAFindingWhateverElseThereIs) {
  EXPECT_EQ(exit_code(target_of({invariant_case()})), 0);
  EXPECT_EQ(exit_code(target_of({invariant_case(), dependent_case()})), 1);
  EXPECT_EQ(exit_code(target_of({race_case()})), 1);
  EXPECT_EQ(exit_code(target_of({failing_case(), invariant_case()})), 2);
  EXPECT_EQ(exit_code(target_of({failing_case(), dependent_case()})), 1);
}

TEST(CaseReport, SaysNothingAboutBitsAfterOneSchedule) {
  CaseReport report = invariant_case();
  report.exploration.schedules = report.exploration.outcomes[0].count = 1;
  EXPECT_EQ(verdict(report), CaseVerdict::race_free);
  EXPECT_EQ(exit_code(target_of({report})), 0);
  EXPECT_THAT(text_of(target_of({report})), HasSubstr("RACE-FREE: tree_sum"));
}

TEST(ExitCode, IsTwoIfNothingRan) { EXPECT_EQ(exit_code(target_of({})), 2); }

TEST(ExploreText, NamesKernelElementScheduleAndTrace) {
  const std::string text = text_of(target_of({dependent_case()}));
  EXPECT_THAT(text, HasSubstr("SCHEDULE-DEPENDENT: atomic_sum, 2 distinct outcomes under 32"));
  EXPECT_THAT(text, HasSubstr("sum_by_atomics\n"));
  EXPECT_THAT(text, HasSubstr("3: walk"));
  EXPECT_THAT(text, HasSubstr("sum[1] f32"));
  EXPECT_THAT(text, HasSubstr("0.5 (3f000000)"));
  EXPECT_THAT(text, HasSubstr("0.25 (3e800000)"));
  EXPECT_THAT(text, HasSubstr("atomic_sum.trace: 2 decisions of 99"));
  EXPECT_THAT(text, HasSubstr("explore-schedules build/sums --case atomic_sum --replay "
                              "atomic_sum.trace"));
  EXPECT_THAT(text, Not(HasSubstr("cases:")));
}

TEST(ExploreText, NamesBothSidesOfARace) {
  const std::string text = text_of(target_of({race_case()}));
  EXPECT_THAT(text, HasSubstr("read of 4 bytes at tile.cu:12 in turn_round"));
  EXPECT_THAT(text, HasSubstr("write of 4 bytes at tile.cu:11 in turn_round"));
}

TEST(ExploreText, CountsSeveralCases) {
  const std::string text = text_of(target_of({invariant_case(), dependent_case(), failing_case()}));
  EXPECT_THAT(text,
              HasSubstr("3 cases: 1 invariant, 1 schedule-dependent, 0 with races, 1 failed"));
}

TEST(ExploreJson, HoldsWhatTheTextSays) {
  const std::string json = json_of(target_of({dependent_case(), race_case(), failing_case()}));
  for (const char* text :
       {"\"exit_code\": 1", "\"verdict\": \"SCHEDULE-DEPENDENT\"", "\"kernel\": \"sum_by_atomics\"",
        "\"trace_file\": \"atomic_sum.trace\"", "\"in_order_bits\": \"3f000000\"",
        "\"first_byte\": 4", "\"decisions\": 2", "\"kind\": \"spin\"", "\"access\": \"write\"",
        "\"error\": \"spin.cu:4: no progress\""}) {
    EXPECT_THAT(json, HasSubstr(text));
  }
}

TEST(ExploreJson, SurvivesTextThatIsNoUtf8) {
  CaseReport report = invariant_case();
  report.file = "\xff.cu";
  EXPECT_THAT(json_of(target_of({report})), HasSubstr(".cu"));
}

TEST(ProgressText, FillsItsBarAndGuessesTheRest) {
  EXPECT_EQ(progress_text("sum", 0, 100, 0), "[........................] 0/100  sum");
  EXPECT_EQ(progress_text("sum", 50, 100, 10), "[############............] 50/100  sum  10 s left");
  EXPECT_EQ(progress_text("sum", 100, 100, 20), "[########################] 100/100  sum");
}

}  // namespace
}  // namespace foxhunt
