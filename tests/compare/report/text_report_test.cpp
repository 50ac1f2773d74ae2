// SPDX-License-Identifier: MIT
#include "compare/report/text_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "compare/report/page.h"
#include "tests/compare/report/sample.h"

namespace foxhunt {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// With every stretch of blanks as one, so that a sentence is found wherever its lines break.
std::string unwrapped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n';
    if (!blank || out.empty() || out.back() != ' ') out += blank ? ' ' : c;
  }
  return out;
}

std::string report(const Comparison& comparison, const std::vector<BufferResult>& buffers = {},
                   const TextOptions& options = {}) {
  Highlights highlights;
  for (const BufferResult& buffer : buffers) highlights.buffer(buffer);
  return text_report(comparison, highlights, {"run_a", "run_b"}, options);
}

std::string diverged_report() {
  return report(test::diverged_comparison(), {test::diverged_buffer()});
}

TEST(TextReport, BeginsWithTheVerdictInOneLine) {
  EXPECT_THAT(diverged_report(),
              StartsWith("DIVERGED at step 2: q_logits (h) by dqn_head_fwd, proven\n"));
  EXPECT_THAT(report(test::identical_comparison()),
              StartsWith("IDENTICAL: 8 buffers in 4 steps equal bit for bit\n"));
  EXPECT_THAT(report(test::unverified_comparison()),
              StartsWith("UNVERIFIED: equal as far as both go (4 buffers in 2 steps), but "
                         "[open_run] below kept it from a verdict\n"));
}

TEST(TextReport, NeverCallsNothingEqual) {
  Comparison comparison;
  comparison.problems.push_back({"no_run", "a", "a: no such directory"});
  EXPECT_THAT(report(comparison), StartsWith("UNVERIFIED: nothing was compared"));
  EXPECT_THAT(report(comparison), HasSubstr("a: no such directory"));
  EXPECT_THAT(report(comparison), Not(HasSubstr("equal")));
}

TEST(TextReport, PutsProvenanceBeforeTheOrigins) {
  Comparison comparison = test::diverged_comparison();
  comparison.provenance_differences = {{"driver", "550.54", "550.90"}, {"gpu", "H100", ""}};
  const std::string text = report(comparison, {test::diverged_buffer()});
  const std::size_t provenance = text.find("driver");
  ASSERT_NE(provenance, std::string::npos);
  EXPECT_LT(provenance, text.find("Where it begins"));
  EXPECT_THAT(text, HasSubstr("(not set)"));
}

TEST(TextReport, SaysWhyAnOriginIsProven) {
  const std::string text = unwrapped(diverged_report());
  EXPECT_THAT(text, HasSubstr("q_logits (h) <- dqn_head_fwd proven: every input was dumped"));
  EXPECT_THAT(text, HasSubstr("different bits from equal bits"));
  EXPECT_THAT(text, HasSubstr("cuBLAS math mode"));
  EXPECT_THAT(text, HasSubstr("against what it promises"));
}

TEST(TextReport, NamesWhatASuspectedOriginLacks) {
  Comparison comparison = test::diverged_comparison();
  Origin& origin = comparison.ranks[0].first_divergence->origins[0];
  origin.claim = Claim::suspected;
  origin.undumped_inputs = {"noisy_hidden", "params[-1]"};
  origin.undumped_groups = "hm";
  comparison.groups.push_back({'r', "randomness"});
  const std::string text = unwrapped(report(comparison, {test::diverged_buffer()}));
  EXPECT_THAT(text, HasSubstr("suspected: dqn_head_fwd"));
  EXPECT_THAT(text, HasSubstr("noisy_hidden, params[-1]; dump groups h, m too"));
  EXPECT_THAT(text, HasSubstr("FOXHUNT_DETERMINISM_STEPS=2 FOXHUNT_DETERMINISM_GROUPS=ghm"));
}

TEST(TextReport, AsksForAllGroupsByNamingNone) {
  Comparison comparison = test::diverged_comparison();
  Origin& origin = comparison.ranks[0].first_divergence->origins[0];
  origin.claim = Claim::suspected;
  origin.undumped_groups = "m";  // g and h were dumped, and there are no others
  EXPECT_THAT(report(comparison), HasSubstr("FOXHUNT_DETERMINISM_STEPS=2 <trainer>"));
}

TEST(TextReport, SendsNoBareRunToVerify) {
  Comparison comparison = test::unverified_comparison();
  comparison.ranks[0].a.state = "bare";
  const std::string text = report(comparison);
  EXPECT_THAT(text, Not(HasSubstr("inspect-run run_a verify")));
  EXPECT_THAT(text, HasSubstr("inspect-run run_b verify"));
}

TEST(TextReport, LooksIntoTheseRunsBeforeAskingForNewOnesWhenASelectionLeftSomethingOut) {
  Comparison comparison = test::diverged_comparison();
  Origin& origin = comparison.ranks[0].first_divergence->origins[0];
  origin.claim = Claim::suspected;
  origin.undumped_inputs = {"params"};
  origin.undumped_groups = "m";
  EXPECT_THAT(report(comparison), HasSubstr("FOXHUNT_DETERMINISM_STEPS=2"));
  comparison.selection = "--groups h";
  const std::string text = unwrapped(report(comparison));
  EXPECT_THAT(text, HasSubstr("what it leaves out counts as not dumped"));
  EXPECT_THAT(text, HasSubstr("Compare again without --groups h"));
  EXPECT_THAT(text, Not(HasSubstr("FOXHUNT_DETERMINISM_STEPS=2")));
}

TEST(TextReport, BlamesNoCopyForInventingBits) {
  Comparison comparison = test::diverged_comparison();
  comparison.ranks[0].first_divergence->origins[0].kind = MakerKind::copy;
  EXPECT_THAT(unwrapped(report(comparison)),
              HasSubstr("its source changed while it ran, or was not captured"));
}

TEST(TextReport, SendsACarriedInOriginToTheStepsBefore) {
  Comparison comparison = test::diverged_comparison();
  Origin& origin = comparison.ranks[0].first_divergence->origins[0];
  origin.claim = Claim::external;
  origin.kernel.clear();
  const std::string text = unwrapped(report(comparison));
  EXPECT_THAT(text, HasSubstr("external: it was different before this window began"));
  EXPECT_THAT(text, HasSubstr("FOXHUNT_DETERMINISM_STEPS=0-2 <trainer>"));
}

TEST(TextReport, SaysWhatManyOriginsHaveInCommonOnce) {
  Comparison comparison = test::diverged_comparison();
  auto& origins = comparison.ranks[0].first_divergence->origins;
  origins.push_back(origins[0]);
  origins[1].buffer = "v_pred";
  EXPECT_THAT(report(comparison), HasSubstr("2. v_pred (h)  <-  dqn_head_fwd: as above\n"));
  origins[1].advice = "something else";
  EXPECT_THAT(report(comparison), HasSubstr("something else"));
}

TEST(TextReport, NamesTheChunksOfADigest) {
  BufferResult result = test::diverged_buffer();
  result.difference.reset();
  result.by_digest = true;
  result.differing_chunks = 3;
  result.first_chunks = {3, 7};
  const std::string text = report(test::diverged_comparison(), {result});
  EXPECT_THAT(text, HasSubstr("3 chunks of 16 KiB differ (digests only, no values)"));
  EXPECT_THAT(text, HasSubstr("chunks 3, 7, ..."));
  EXPECT_THAT(text, HasSubstr("FOXHUNT_DETERMINISM_MODE=full"));
}

TEST(TextReport, NamesTheAncestorThatOriginsShare) {
  Comparison comparison = test::diverged_comparison();
  FirstDivergence& first = *comparison.ranks[0].first_divergence;
  first.common_undumped_ancestor = "attn_pool_out";
  first.sharing = {"q_logits", "v_pred"};
  EXPECT_THAT(report(comparison),
              HasSubstr("q_logits, v_pred all depend on attn_pool_out, which was not dumped"));
}

TEST(TextReport, GivesTheNumbersOfEachBufferOfTheFirstStep) {
  const std::string text = diverged_report();
  EXPECT_THAT(text, HasSubstr("q_logits (h) f32 2x3: 2 of 6 elements differ (33.3 %)"));
  EXPECT_THAT(text, HasSubstr("first [0,1], last [1,1]: scattered over 2 ranges"));
  EXPECT_THAT(text, HasSubstr("max |a-b| 0.5 at [1,1]"));
  EXPECT_THAT(text, HasSubstr("max 4,194,304 ULP (1: 1, 2-4: 0, 5-64: 0, more: 1)"));
  EXPECT_THAT(text, HasSubstr("samples   [0,1]: a 1, b 1.0000001\n"));
  EXPECT_THAT(text, HasSubstr("[1,1]: a 1, b 1.5\n"));
}

TEST(TextReport, TellsWhatKindOfDifferenceItIs) {
  BufferResult result = test::diverged_buffer();
  result.difference->nan_payload_only = 1;
  result.difference->sign_of_zero_only = 1;
  result.permuted_rows = true;
  result.tail_only = true;
  result.zero_on_one_side = true;
  result.difference->runs = 1;
  const std::string text = report(test::diverged_comparison(), {result});
  EXPECT_THAT(text, HasSubstr("NaN on both sides with other payloads"));
  EXPECT_THAT(text, HasSubstr("zero on both sides with other signs"));
  EXPECT_THAT(text, HasSubstr("the same rows in another order"));
  EXPECT_THAT(text, HasSubstr("unknown whether anything reads it"));
  EXPECT_THAT(text, HasSubstr("suspected capture race"));
  EXPECT_THAT(text, HasSubstr("one contiguous range"));
}

TEST(TextReport, TellsTilesFromRanges) {
  BufferResult result = test::diverged_buffer();
  Difference& d = *result.difference;
  result.shape = Shape{128};
  result.elements = result.elements_a = result.elements_b = d.elements = 128;
  d.differing = 32;
  d.runs = d.tiles_touched = d.tiles_full = 1;
  d.first_index = 32;
  d.last_index = 63;
  EXPECT_THAT(report(test::diverged_comparison(), {result}),
              HasSubstr("1 whole tile of 32 elements and nothing else"));
}

TEST(TextReport, SaysThatLengthsDiffer) {
  BufferResult result = test::diverged_buffer();
  result.elements_b = 9;
  EXPECT_THAT(report(test::diverged_comparison(), {result}), HasSubstr("a holds 6 elements, b 9"));
}

TEST(TextReport, NeverRoundsAShareToNothingOrAll) {
  BufferResult result = test::diverged_buffer();
  result.difference->elements = 1'000'000;
  EXPECT_THAT(report(test::diverged_comparison(), {result}), HasSubstr("(< 0.01 %)"));
  result.difference->differing = 999'999;
  EXPECT_THAT(report(test::diverged_comparison(), {result}), HasSubstr("(> 99.9 %)"));
}

TEST(TextReport, SaysWhichGroupsWereNotDumped) {
  const std::string text = diverged_report();
  EXPECT_THAT(text, HasSubstr("Not dumped at any step, so nothing is known of: m (the update)"));
  Comparison comparison = test::diverged_comparison();
  comparison.ranks[0].table[0].cells['h' - 'a'] = Cell::not_dumped;
  EXPECT_THAT(report(comparison), HasSubstr("equal       not dumped\n"));
}

TEST(TextReport, MakesOneRowOfStepsThatStandAlike) {
  const std::string text = diverged_report();
  EXPECT_THAT(text, HasSubstr("  0-1             equal       equal\n"));
  EXPECT_THAT(text, HasSubstr("  2               equal       DIFFERS\n"));
  EXPECT_THAT(text, HasSubstr("  3               equal       equal\n"));
}

TEST(TextReport, FitsAllTwentySixGroupsInAHundredColumns) {
  Comparison comparison = test::diverged_comparison();
  for (Cell& cell : comparison.ranks[0].table[0].cells) cell = Cell::equal;
  std::istringstream lines(report(comparison, {test::diverged_buffer()}));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), Page::kWidth) << line;
  }
}

TEST(TextReport, TellsWhatHealed) {
  EXPECT_THAT(diverged_report(), HasSubstr("q_logits: last differed at step 2, equal at step 3"));
}

TEST(TextReport, TellsWhatEqualityDoesNotCover) {
  const std::string text = unwrapped(report(test::identical_comparison()));
  EXPECT_THAT(text, HasSubstr("not dumped (2 buffers): adam_m, params."));
  EXPECT_THAT(text, HasSubstr("optimizer moments"));
  EXPECT_THAT(text, HasSubstr("target projection"));
  EXPECT_THAT(text, HasSubstr("a capture that ran before its reducer"));
}

TEST(TextReport, IsBoundedHoweverMuchDiffers) {
  Comparison comparison = test::diverged_comparison();
  RankComparison& rank = comparison.ranks[0];
  for (int i = 0; i < 1000; ++i) {
    rank.first_divergence->origins.push_back(rank.first_divergence->origins[0]);
    rank.healed.push_back(rank.healed[0]);
    rank.table.push_back(rank.table[static_cast<std::size_t>(i)]);
    comparison.problems.push_back({"missing_buffer", "b", "is gone"});
    comparison.provenance_differences.push_back({"key", "a", "b"});
    rank.never_dumped.push_back("buffer");
  }
  const std::string text =
      report(comparison, std::vector<BufferResult>(1000, test::diverged_buffer()));
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 300);
  EXPECT_THAT(text, HasSubstr("and 990 more; --format json lists all"));
}

TEST(TextReport, HasColourOnlyWhenAsked) {
  EXPECT_THAT(diverged_report(), Not(HasSubstr("\x1b")));
  EXPECT_THAT(report(test::diverged_comparison(), {}, {true, false}), HasSubstr("\x1b[1;31m"));
}

TEST(TextReport, LetsNoControlCharacterThrough) {
  Comparison comparison = test::unverified_comparison();
  comparison.problems[0].message = "step_\x1b[31m\xff\n.bin";
  comparison.provenance_differences = {{"argv", "\x1b]0;x\x07", "\xc2\x9b"}};
  const std::string text = report(comparison);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\xc2\x9b")));
  EXPECT_THAT(text, HasSubstr("\\x1b[31m\\xff\\n.bin"));
}

TEST(TextReport, ReportsToleranceBesideTheVerdict) {
  Comparison comparison = test::diverged_comparison();
  comparison.within_tolerance = false;
  BufferResult result = test::diverged_buffer();
  result.tolerance = ToleranceResult{0.1, 0, false, 0.4, 0.5, 1};
  const std::string text = report(comparison, {result});
  EXPECT_THAT(text, StartsWith("DIVERGED"));
  EXPECT_THAT(text, HasSubstr("1 of 1 measured buffer that differ are outside"));
  EXPECT_THAT(text, HasSubstr("rtol 0.4 (q_logits)"));
  EXPECT_THAT(text, HasSubstr("atol 0.5 (q_logits)"));
}

TEST(TextReport, OrdersNoRanksThatTie) {
  Comparison comparison = test::diverged_comparison();
  comparison.ranks.push_back(comparison.ranks[0]);
  comparison.ranks[1].rank = 1;
  comparison.ranks.push_back(test::identical_comparison().ranks[0]);
  comparison.ranks[2].rank = 2;
  const std::string text = unwrapped(report(comparison));
  EXPECT_THAT(text, HasSubstr("order across ranks is not causality"));
  EXPECT_THAT(text, HasSubstr("rank 1: diverged at step 2"));
  EXPECT_THAT(text, HasSubstr("1 rank: identical"));
}

TEST(TextReport, SaysWhenOnlyTheOrderOfFreeRowsDiffers) {
  Comparison comparison = test::diverged_comparison();
  comparison.ranks[0].first_divergence.reset();
  comparison.ranks[0].benign_only = true;
  BufferResult result = test::diverged_buffer();
  result.permuted_rows = result.order_free = true;
  const std::string text = report(comparison, {result});
  EXPECT_THAT(text, StartsWith("DIVERGED in order alone: 1 buffer"));
  EXPECT_THAT(text, HasSubstr("the profile declares that no reader minds"));
}

TEST(ClusterReport, TellsWhoIsLikeWhomAndWhereTheyPart) {
  const Clustering clustering = cluster_runs(3, [](std::size_t, std::size_t b) {
    return b == 1 ? test::identical_comparison() : test::diverged_comparison();
  });
  const std::string text = text_report(clustering, {"one", "two", "three"});
  EXPECT_THAT(text,
              StartsWith("DIVERGED: 3 runs fall into 2 clusters; they first part at step 2\n"));
  EXPECT_THAT(text, HasSubstr("A (2 of 3): one, two\n"));
  EXPECT_THAT(text, HasSubstr("B (1 of 3): three\n"));
  EXPECT_THAT(text, HasSubstr("A and B: step 2, q_logits (h) by dqn_head_fwd, proven"));
  EXPECT_THAT(text, HasSubstr("compare-backward-state one three"));
}

TEST(ClusterReport, StaysHonestAboutRunsThatCannotBeJudged) {
  const Clustering clustering = cluster_runs(3, [](std::size_t, std::size_t b) {
    return b == 1 ? test::identical_comparison() : test::unverified_comparison();
  });
  const std::string text = text_report(clustering, {"one", "two", "three"});
  EXPECT_THAT(text, StartsWith("UNVERIFIED"));
  EXPECT_THAT(text, HasSubstr("may be equal to A"));
}

TEST(ClusterReport, BoundsTheRateOfWhatDidNotHappen) {
  const Clustering clustering =
      cluster_runs(31, [](std::size_t, std::size_t) { return test::identical_comparison(); });
  EXPECT_THAT(text_report(clustering, std::vector<std::string>(31, "r")),
              HasSubstr("fewer than 10 % of"));
}

TEST(Page, WrapsAtItsWidthAndKeepsLongWords) {
  Page page(false);
  page.paragraph(std::string(99, 'x') + " y " + std::string(150, 'z'), 2, 4);
  EXPECT_EQ(page.text(),
            "  " + std::string(99, 'x') + "\n    y\n    " + std::string(150, 'z') + "\n");
}

TEST(Page, QuotesWhatAShellWouldTakeApart) {
  EXPECT_EQ(shell_word("run_a/rank_0"), "run_a/rank_0");
  EXPECT_EQ(shell_word("my run"), "'my run'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

TEST(Page, WritesNumbersForPeople) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(count_of(1, "step"), "1 step");
  EXPECT_EQ(bytes_text(999), "999 B");
  EXPECT_EQ(bytes_text(1'000'000'000), "1 GB");
  EXPECT_EQ(bytes_text(~std::uint64_t{0}), "18.4 EB");
}

}  // namespace
}  // namespace foxhunt
