// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "compare/runs/comparison.h"
#include "tests/compare/runs/collecting_sink.h"
#include "tests/support/run_fixture.h"
#include "tests/support/temporary_directory.h"

namespace foxhunt {
namespace {

using test::bytes_of;
using test::CollectingSink;
using test::problem_codes;
using test::RunFixture;
using test::TemporaryDirectory;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Kind = RunFixture::Kind;

std::string values(float first) { return bytes_of<float>({first, 2, 3, 4}); }

// Two runs beside each other.
class TwoRuns : public testing::Test {
 protected:
  Comparison compare(const CompareOptions& options = {}) {
    sink_.results.clear();
    return compare_runs(dir_ / "a", dir_ / "b", options, sink_);
  }
  // Complete runs whose steps 0… hold buffer x; in b its first element is what is given.
  void record(Kind kind_a, Kind kind_b, const std::vector<float>& in_b) {
    RunFixture a(dir_ / "a", kind_a), b(dir_ / "b", kind_b);
    for (std::size_t step = 0; step < in_b.size(); ++step) {
      a.step(step, {{"x", 'g', values(1)}, {"y", 'h', values(1)}});
      b.step(step, {{"x", 'g', values(in_b[step])}, {"y", 'h', values(1)}});
    }
    a.finish();
    b.finish();
  }

  TemporaryDirectory dir_;
  CollectingSink sink_;
};

struct Kinds {
  Kind a, b;
};

class OfAnyKind : public TwoRuns, public testing::WithParamInterface<Kinds> {};

TEST_P(OfAnyKind, EqualRunsAreIdentical) {
  record(GetParam().a, GetParam().b, {1, 1, 1});
  const Comparison result = compare();
  EXPECT_EQ(result.verdict, Verdict::identical) << testing::PrintToString(problem_codes(result));
  EXPECT_THAT(result.problems, IsEmpty());
  EXPECT_THAT(sink_.results, IsEmpty());
  EXPECT_TRUE(result.everything_compared);
  ASSERT_EQ(result.ranks.size(), 1u);
  EXPECT_EQ(result.ranks[0].equal, 6u);
  EXPECT_EQ(result.ranks[0].steps, 3u);
}

TEST_P(OfAnyKind, ADifferenceIsFound) {
  record(GetParam().a, GetParam().b, {1, 9, 1});
  const Comparison result = compare();
  EXPECT_EQ(result.verdict, Verdict::diverged);
  EXPECT_THAT(result.problems, IsEmpty());
  ASSERT_EQ(sink_.results.size(), 1u);
  EXPECT_EQ(sink_.results[0].name, "x");
  EXPECT_EQ(sink_.results[0].step, 1u);
  EXPECT_EQ(sink_.results[0].status, Status::diverged);
  ASSERT_TRUE(result.ranks[0].first_divergence);
  EXPECT_EQ(result.ranks[0].first_divergence->step, 1u);
  ASSERT_EQ(result.ranks[0].healed.size(), 1u);
  EXPECT_EQ(result.ranks[0].healed[0].buffer, "x");
  EXPECT_EQ(result.ranks[0].healed[0].diverged_step, 1u);
  EXPECT_EQ(result.ranks[0].healed[0].equal_step, 2u);
}

TEST_P(OfAnyKind, OptionAllListsEqualBuffersToo) {
  record(GetParam().a, GetParam().b, {1, 9});
  CompareOptions options;
  options.list_equal = true;
  compare(options);
  EXPECT_EQ(sink_.results.size(), 4u);
  EXPECT_EQ(sink_.of("y", 1).status, Status::equal);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, OfAnyKind,
    testing::Values(Kinds{Kind::bare, Kind::bare}, Kinds{Kind::bare, Kind::full},
                    Kinds{Kind::full, Kind::bare}, Kinds{Kind::full, Kind::full},
                    Kinds{Kind::full, Kind::digest}, Kinds{Kind::digest, Kind::full},
                    Kinds{Kind::digest, Kind::digest}, Kinds{Kind::digest, Kind::bare},
                    Kinds{Kind::bare, Kind::digest}));

TEST_F(TwoRuns, AMissingFileIsNeverEqual) {
  record(Kind::bare, Kind::bare, {1, 1});
  std::filesystem::remove(dir_ / "b/step_1_g_x.bin");
  const Comparison result = compare();
  EXPECT_EQ(result.verdict, Verdict::unverified);
  EXPECT_THAT(problem_codes(result), ElementsAre("missing_buffer"));
  EXPECT_EQ(sink_.of("x", 1).status, Status::missing_in_b);
}

TEST_F(TwoRuns, AMissingPayloadIsNeverEqual) {
  record(Kind::full, Kind::full, {1, 1});
  std::filesystem::remove(dir_ / "a/step_1_g_x.bin");
  const Comparison result = compare();
  EXPECT_EQ(result.verdict, Verdict::unverified);
  EXPECT_THAT(problem_codes(result), ElementsAre("missing_file"));
  EXPECT_EQ(sink_.of("x", 1).status, Status::missing_in_a);
}

TEST_F(TwoRuns, ADifferenceCountsEvenIfOtherFilesAreMissing) {
  record(Kind::bare, Kind::bare, {1, 9});
  std::filesystem::remove(dir_ / "b/step_0_h_y.bin");
  const Comparison result = compare();
  EXPECT_EQ(result.verdict, Verdict::diverged);
  EXPECT_THAT(problem_codes(result), ElementsAre("missing_buffer"));
}

TEST_F(TwoRuns, OtherStepsAreNeverEqual) {
  record(Kind::full, Kind::full, {1, 1});
  RunFixture longer(dir_ / "c", Kind::full);
  for (int step = 0; step < 5; ++step) {
    longer.step(static_cast<std::uint64_t>(step), {{"x", 'g', values(1)}, {"y", 'h', values(1)}});
  }
  longer.finish();
  const Comparison result = compare_runs(dir_ / "a", dir_ / "c", {}, sink_);
  EXPECT_EQ(result.verdict, Verdict::unverified);
  EXPECT_THAT(problem_codes(result), ElementsAre("missing_step"));
  EXPECT_THAT(result.problems[0].message, HasSubstr("steps 2-4 are in"));
}

TEST_F(TwoRuns, AnOpenRunIsEqualOnlyAsFarAsItGoes) {
  RunFixture a(dir_ / "a", Kind::full), b(dir_ / "b", Kind::full);
  for (std::uint64_t step = 0; step < 2; ++step) {
    a.step(step, {{"x", 'g', values(1)}});
    b.step(step, {{"x", 'g', values(1)}});
  }
  a.finish();
  const Comparison result = compare();
  EXPECT_EQ(result.verdict, Verdict::unverified);
  EXPECT_THAT(problem_codes(result), ElementsAre("open_run"));
  EXPECT_EQ(result.ranks[0].equal, 2u);
}

TEST_F(TwoRuns, ADifferenceInAnOpenRunIsADifference) {
  RunFixture a(dir_ / "a", Kind::full), b(dir_ / "b", Kind::full);
  a.step(0, {{"x", 'g', values(1)}});
  b.step(0, {{"x", 'g', values(2)}});
  EXPECT_EQ(compare().verdict, Verdict::diverged);
}

TEST_F(TwoRuns, OneRunGivenTwiceIsRefused) {
  record(Kind::full, Kind::full, {1});
  std::filesystem::create_directory_symlink(dir_ / "a", dir_ / "link");
  std::filesystem::copy(dir_ / "a", dir_ / "copy");
  for (const char* other : {"a", "link", "copy"}) {
    const Comparison result = compare_runs(dir_ / "a", dir_ / other, {}, sink_);
    EXPECT_EQ(result.verdict, Verdict::unverified) << other;
    EXPECT_THAT(problem_codes(result), ElementsAre("same_run")) << other;
  }
}

TEST_F(TwoRuns, HardLinksAreOneRunGivenTwice) {
  record(Kind::bare, Kind::bare, {1});
  std::filesystem::remove(dir_ / "b/step_0_g_x.bin");
  std::filesystem::create_hard_link(dir_ / "a/step_0_g_x.bin", dir_ / "b/step_0_g_x.bin");
  const Comparison result = compare();
  EXPECT_EQ(result.verdict, Verdict::unverified);
  EXPECT_THAT(problem_codes(result), ElementsAre("same_run"));
}

TEST_F(TwoRuns, NothingToCompareIsNotEqual) {
  record(Kind::full, Kind::full, {1});
  CompareOptions options;
  options.filter = NameFilter("z", {}, {});
  EXPECT_THAT(problem_codes(compare(options)), ElementsAre("nothing_compared"));
  options = {};
  options.steps = StepSet::parse("7");
  const Comparison result = compare(options);
  EXPECT_EQ(result.verdict, Verdict::unverified);
  EXPECT_THAT(problem_codes(result), ElementsAre("nothing_compared"));
}

TEST_F(TwoRuns, ADirectoryThatIsNoRunIsNotEqual) {
  record(Kind::full, Kind::full, {1});
  std::filesystem::create_directory(dir_ / "empty");
  EXPECT_THAT(problem_codes(compare_runs(dir_ / "empty", dir_ / "b", {}, sink_)),
              ElementsAre("no_run"));
  EXPECT_THAT(problem_codes(compare_runs(dir_ / "a", dir_ / "none", {}, sink_)),
              ElementsAre("no_run"));
}

TEST_F(TwoRuns, SelectionsLimitWhatIsCompared) {
  record(Kind::full, Kind::full, {1, 9, 1});
  CompareOptions options;
  options.steps = StepSet::parse("0,2");
  EXPECT_EQ(compare(options).verdict, Verdict::identical);
  options = {};
  options.filter = NameFilter("h", {}, {});
  EXPECT_EQ(compare(options).verdict, Verdict::identical);
  options.filter = NameFilter("", {}, {"^x$"});
  EXPECT_EQ(compare(options).verdict, Verdict::identical);
  options.filter = NameFilter("", {"^x$"}, {});
  EXPECT_EQ(compare(options).verdict, Verdict::diverged);
}

TEST_F(TwoRuns, OptionFirstStopsAfterTheFirstDivergentStep) {
  record(Kind::full, Kind::full, {1, 9, 9, 9});
  CompareOptions options;
  options.first_only = true;
  const Comparison result = compare(options);
  EXPECT_EQ(result.verdict, Verdict::diverged);
  EXPECT_TRUE(result.stopped_early);
  EXPECT_EQ(sink_.results.size(), 1u);
  EXPECT_EQ(result.ranks[0].steps, 2u);
}

TEST_F(TwoRuns, AnotherDtypeIsIncomparable) {
  RunFixture a(dir_ / "a", Kind::full), b(dir_ / "b", Kind::full);
  a.step(0, {{"x", 'g', values(1), DType::f32}});
  b.step(0, {{"x", 'g', values(1), DType::i32}});
  a.finish();
  b.finish();
  const Comparison result = compare();
  EXPECT_EQ(result.verdict, Verdict::unverified);
  EXPECT_THAT(problem_codes(result), ElementsAre("incomparable"));
  EXPECT_EQ(sink_.of("x").status, Status::incomparable);
}

TEST_F(TwoRuns, AnotherNumberOfElementsIsADivergence) {
  RunFixture a(dir_ / "a"), b(dir_ / "b");
  a.step(0, {{"v_pred", 'h', bytes_of<float>({1, 2, 3})}});
  b.step(0, {{"v_pred", 'h', bytes_of<float>({1, 2})}});
  const Comparison result = compare();
  EXPECT_EQ(result.verdict, Verdict::diverged);
  EXPECT_EQ(sink_.of("v_pred").elements_a, 3u);
  EXPECT_EQ(sink_.of("v_pred").elements_b, 2u);
}

TEST_F(TwoRuns, APartialElementIsNeverEqual) {
  const std::string three = bytes_of<float>({1, 2, 3});
  const auto bare = [&](const char* name, const std::string& bytes) {
    RunFixture(dir_ / name).step(0, {{"v_pred", 'h', bytes, DType::u8}});
  };
  bare("a", three);
  bare("b", three.substr(0, 10));
  Comparison result = compare();
  EXPECT_EQ(result.verdict, Verdict::unverified);
  EXPECT_THAT(problem_codes(result), ElementsAre("partial_element"));

  bare("c", three.substr(0, 10));
  result = compare_runs(dir_ / "b", dir_ / "c", {}, sink_);
  EXPECT_EQ(result.verdict, Verdict::unverified);
  EXPECT_THAT(problem_codes(result), ElementsAre("partial_element", "partial_element"));
}

TEST_F(TwoRuns, WholeElementsBeforeAPartialOneStillProveADifference) {
  RunFixture(dir_ / "a").step(0, {{"v_pred", 'h', bytes_of<float>({1, 2, 3})}});
  RunFixture(dir_ / "b").step(0, {{"v_pred", 'h', bytes_of<float>({1, 9}) + "xx", DType::u8}});
  const Comparison result = compare();
  EXPECT_EQ(result.verdict, Verdict::diverged);
  EXPECT_EQ(sink_.of("v_pred").difference->first_index, 1u);
  EXPECT_THAT(problem_codes(result), ElementsAre("partial_element"));
}

TEST_F(TwoRuns, EqualNansAreEqualAndZerosOfOtherSignsAreNot) {
  RunFixture a(dir_ / "a", Kind::full), b(dir_ / "b", Kind::full);
  const std::string nan = bytes_of<std::uint32_t>({0x7fc00001, 0x7fc00001});
  a.step(0, {{"nan", 'g', nan}, {"zero", 'g', bytes_of<float>({0.0f, 1})}});
  b.step(0, {{"nan", 'g', nan}, {"zero", 'g', bytes_of<float>({-0.0f, 1})}});
  a.finish();
  b.finish();
  EXPECT_EQ(compare().verdict, Verdict::diverged);
  ASSERT_EQ(sink_.results.size(), 1u);
  EXPECT_EQ(sink_.of("zero").difference->sign_of_zero_only, 1u);
}

TEST_F(TwoRuns, OccurrencesAreAligned) {
  RunFixture a(dir_ / "a", Kind::full), b(dir_ / "b", Kind::full);
  const auto buffers = [](float last) {
    return std::vector<test::FixtureBuffer>{{"x", 'g', values(1), DType::f32, {}, 0},
                                            {"x", 'g', values(last), DType::f32, {}, 1}};
  };
  a.step(0, buffers(1));
  b.step(0, buffers(2));
  b.step(1, buffers(2));
  a.step(1, {{"x", 'g', values(1)}});
  a.finish();
  b.finish();
  const Comparison result = compare();
  EXPECT_EQ(result.verdict, Verdict::diverged);
  EXPECT_EQ(sink_.of("x", 0, 1).status, Status::diverged);
  EXPECT_EQ(sink_.of("x", 1, 1).status, Status::missing_in_a);
  EXPECT_THAT(result.problems[0].message, HasSubstr("control flow differs"));
}

TEST_F(TwoRuns, RanksAreComparedOneByOne) {
  for (const char* run : {"a", "b"}) {
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
      RunFixture fixture(dir_ / run / ("rank_" + std::to_string(rank)), Kind::full);
      fixture.manifest().rank = rank;
      fixture.manifest().world_size = 3;
      for (std::uint64_t step = 0; step < 4; ++step) {
        const bool differs = *run == 'b' && ((rank == 2 && step >= 1) || (rank == 1 && step >= 3));
        fixture.step(step, {{"x", 'g', values(differs ? 9.f : 1.f)}});
      }
      fixture.finish();
    }
  }
  const Comparison result = compare();
  EXPECT_EQ(result.verdict, Verdict::diverged);
  EXPECT_THAT(result.problems, IsEmpty());
  ASSERT_EQ(result.ranks.size(), 3u);
  EXPECT_EQ(result.ranks[0].verdict, Verdict::identical);
  EXPECT_EQ(result.ranks[1].verdict, Verdict::diverged);
  EXPECT_EQ(first_diverged_rank(result), 2u);
  EXPECT_EQ(result.ranks[2].first_divergence->step, 1u);
}

TEST_F(TwoRuns, AMissingRankIsNeverEqual) {
  for (const char* run : {"a", "b"}) {
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      if (*run == 'b' && rank == 1) continue;
      RunFixture fixture(dir_ / run / ("rank_" + std::to_string(rank)), Kind::full);
      fixture.manifest().rank = rank;
      fixture.manifest().world_size = 2;
      fixture.step(0, {{"x", 'g', values(1)}});
      fixture.finish();
    }
  }
  const Comparison result = compare();
  EXPECT_EQ(result.verdict, Verdict::unverified);
  EXPECT_THAT(problem_codes(result), Contains("missing_rank"));
}

TEST_F(TwoRuns, ProvenanceDifferencesAreNamed) {
  RunFixture a(dir_ / "a", Kind::full), b(dir_ / "b", Kind::full);
  a.manifest().provenance = {{"driver", "560"}, {"gpu", "H200"}};
  b.manifest().provenance = {{"driver", "570"}, {"gpu", "H200"}, {"env.OMP_NUM_THREADS", "4"}};
  a.step(0, {{"x", 'g', values(1)}});
  b.step(0, {{"x", 'g', values(1)}});
  a.finish();
  b.finish();
  const Comparison result = compare();
  EXPECT_EQ(result.verdict, Verdict::identical);
  ASSERT_EQ(result.provenance_differences.size(), 2u);
  EXPECT_EQ(result.provenance_differences[0].key, "driver");
  EXPECT_EQ(result.provenance_differences[0].b, "570");
  EXPECT_EQ(result.provenance_differences[1].key, "env.OMP_NUM_THREADS");
}

TEST_F(TwoRuns, TheTableJoinsStepsThatStandAlike) {
  record(Kind::full, Kind::full, {1, 1, 9, 9, 1});
  const Comparison result = compare();
  const auto& table = result.ranks[0].table;
  ASSERT_EQ(table.size(), 3u);
  EXPECT_EQ(table[0].last_step, 1u);
  EXPECT_EQ(table[1].first_step, 2u);
  EXPECT_EQ(table[1].steps, 2u);
  EXPECT_EQ(table[1].cells['g' - 'a'], Cell::diverged);
  EXPECT_EQ(table[1].cells['h' - 'a'], Cell::equal);
  EXPECT_EQ(table[1].cells['i' - 'a'], Cell::not_dumped);
}

}  // namespace
}  // namespace foxhunt
