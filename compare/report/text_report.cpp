// SPDX-License-Identifier: MIT
#include "compare/report/text_report.h"

#include <fmt/format.h>

#include "compare/report/page.h"
#include "compare/report/text_sections.h"
#include "compare/verdict/claims.h"

namespace foxhunt {
namespace {

struct Totals {
  std::uint64_t steps = 0, equal = 0, diverged = 0, other = 0;
};

Totals totals_of(const Comparison& comparison) {
  Totals totals;
  for (const RankComparison& rank : comparison.ranks) {
    totals.steps = std::max(totals.steps, rank.steps);
    totals.equal += rank.equal;
    totals.diverged += rank.diverged;
    totals.other += rank.other;
  }
  return totals;
}

std::string origin_text(const Origin& origin) {
  return fmt::format("{} ({}) by {}, {}", origin.buffer, origin.group, origin_maker(origin),
                     claim_name(origin.claim));
}

std::string diverged_line(const Comparison& comparison, const Totals& totals) {
  const auto index = first_diverged_rank(comparison);
  if (!index) {
    return fmt::format(
        "DIVERGED in order alone: {} hold the same rows in another order, which no "
        "reader minds",
        count_of(totals.diverged, "buffer"));
  }
  const RankComparison& rank = comparison.ranks[*index];
  const FirstDivergence& first = *rank.first_divergence;
  std::string line = "DIVERGED at step " + std::to_string(first.step);
  if (comparison.ranks.size() > 1) line += fmt::format(", first on rank {}", rank.rank);
  line += ": ";
  if (first.origins.empty()) return line + "groups " + first.groups;
  line += origin_text(first.origins.front());
  if (first.origins.size() + first.origins_not_listed > 1) {
    line += fmt::format(
        ", and {}", count_of(first.origins.size() + first.origins_not_listed - 1, "more origin"));
  }
  return line;
}

void print_sides(Page& page, const Comparison& comparison, const std::vector<std::string>& runs) {
  for (std::size_t side = 0; side < 2; ++side) {
    std::string text = fmt::format("  {}  {}", side == 0 ? "a" : "b", printable(runs[side]));
    if (!comparison.ranks.empty()) {
      const RankComparison& rank = comparison.ranks.front();
      const RunSide& of = side == 0 ? rank.a : rank.b;
      if (!of.state.empty()) text += "  " + of.state;
      if (!of.started_at.empty()) text += ", started " + printable(of.started_at);
    }
    page.line(text);
  }
}

void print_tolerance(Page& page, const Comparison& comparison, const Highlights& highlights,
                     const TextOptions& options) {
  if (!comparison.within_tolerance) return;
  page.section("Tolerance (the verdict stays bytewise)");
  const auto& found = highlights.tolerance();
  if (*comparison.within_tolerance) {
    page.paragraph("Every buffer that differs is within its tolerance.");
  } else if (found) {
    page.paragraph(fmt::format("{} of {} that differ are outside their tolerance.", found->outside,
                               count_of(found->buffers, "measured buffer")));
  } else {
    page.paragraph("No buffer that differs could be measured against a tolerance.");
  }
  if (found) {
    page.paragraph(
        fmt::format("Smallest that would pass: rtol {} ({}) with atol as asked, or atol {} "
                    "({}) with rtol as asked{}.",
                    found->smallest_rtol, found->worst_rtol, found->smallest_atol,
                    found->worst_atol, comparison.stopped_early ? ", as far as was read" : ""));
  }
  if (options.accept_tolerance) {
    page.paragraph(*comparison.within_tolerance && comparison.everything_compared
                       ? "Accepted as asked (--accept-tolerance): the exit code is 0."
                       : "Not accepted (--accept-tolerance): see above and the problems below.");
  }
}

}  // namespace

std::string verdict_line(const Comparison& comparison) {
  const Totals totals = totals_of(comparison);
  const std::string seen =
      fmt::format("{} in {}", count_of(totals.equal, "buffer"), count_of(totals.steps, "step"));
  switch (comparison.verdict) {
    case Verdict::identical:
      return fmt::format("IDENTICAL: {} equal bit for bit{}", seen,
                         comparison.ranks.size() > 1
                             ? fmt::format(", on {}", count_of(comparison.ranks.size(), "rank"))
                             : "");
    case Verdict::diverged:
      return diverged_line(comparison, totals);
    case Verdict::unverified:
      break;
  }
  const std::uint64_t problems = comparison.problems.size() + comparison.problems_not_listed;
  const std::string why = comparison.problems.size() == 1
                              ? fmt::format("[{}]", comparison.problems.front().code)
                              : fmt::format("{}", count_of(problems, "problem"));
  if (totals.equal == 0) {
    return fmt::format("UNVERIFIED: nothing was compared, see {} below", why);
  }
  return fmt::format(
      "UNVERIFIED: equal as far as both go ({}), but {} below kept it from a verdict", seen, why);
}

std::string text_report(const Comparison& comparison, const Highlights& highlights,
                        const std::vector<std::string>& runs, const TextOptions& options) {
  Page page(options.colour);
  sections::verdict(page, comparison.verdict, verdict_line(comparison));
  print_sides(page, comparison, runs);
  if (!comparison.selection.empty()) {
    page.paragraph(fmt::format(
        "Only what {} selects was compared; what it leaves out counts as not dumped below.",
        printable(comparison.selection)));
  }
  sections::provenance(page, comparison.provenance_differences);

  const auto index = first_diverged_rank(comparison);
  const RankComparison* rank = index ? &comparison.ranks[*index] : nullptr;
  const FirstDivergence* first = rank != nullptr ? &*rank->first_divergence : nullptr;
  if (first != nullptr) sections::origins(page, *first);
  sections::buffers(page, highlights, first);
  print_tolerance(page, comparison, highlights, options);
  if (!comparison.ranks.empty()) {
    sections::table(page, rank != nullptr ? *rank : comparison.ranks.front(), comparison.groups,
                    comparison.ranks.size() > 1);
  }
  if (comparison.stopped_early) {
    page.paragraph("Reading stopped after the first divergent step (--first).");
  }
  sections::ranks(page, comparison);
  sections::healed(page, comparison);
  sections::problems(page, comparison.problems, comparison.problems_not_listed);
  sections::blind_spots(page, comparison);
  sections::next(page, comparison, highlights, runs);
  return page.text();
}

}  // namespace foxhunt
