// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "compare/report/text_sections.h"

namespace foxhunt::sections {
namespace {

// Letters of the groups dumped anywhere, and `more`; empty when these are all there are.
std::string groups_with(const Comparison& comparison, const RankComparison& rank,
                        std::string_view more) {
  std::string letters;
  for (char letter = 'a'; letter <= 'z'; ++letter) {
    const bool dumped = std::any_of(
        rank.table.begin(), rank.table.end(),
        [letter](const TableRow& row) { return row.cells[letter - 'a'] != Cell::not_dumped; });
    if (dumped || more.find(letter) != std::string_view::npos) letters += letter;
  }
  const bool all = std::all_of(comparison.groups.begin(), comparison.groups.end(),
                               [&letters](const ProfileGroup& group) {
                                 return letters.find(group.letter) != std::string::npos;
                               });
  return all && !comparison.groups.empty() ? "" : letters;
}

std::string dump_command(std::string_view steps, std::string_view groups, std::string_view mode) {
  std::string command = "FOXHUNT_DETERMINISM_DEBUG_BACKWARD=1 FOXHUNT_DETERMINISM_STEPS=";
  command += steps;
  if (!groups.empty()) command += fmt::format(" FOXHUNT_DETERMINISM_GROUPS={}", groups);
  if (!mode.empty()) command += fmt::format(" FOXHUNT_DETERMINISM_MODE={}", mode);
  return command + " <trainer>";
}

std::string inspect(const std::string& run, const RankComparison& rank, bool many_ranks,
                    const FirstDivergence& first, const Origin& origin) {
  std::string command =
      fmt::format("inspect-run {} show {} {}", shell_word(run), first.step, origin.buffer);
  if (origin.occurrence > 0) command += fmt::format(" --occurrence {}", origin.occurrence);
  if (many_ranks) command += fmt::format(" --rank {}", rank.rank);
  return command;
}

void after_divergence(Page& page, const Comparison& comparison, const RankComparison& rank,
                      const Highlights& highlights, const std::vector<std::string>& runs) {
  const FirstDivergence& first = *rank.first_divergence;
  std::string groups;
  bool external = false;
  const Origin* proven = nullptr;
  for (const Origin& origin : first.origins) {
    if (origin.claim == Claim::suspected) groups += origin.undumped_groups;
    external |= origin.claim == Claim::external;
    if (origin.claim == Claim::proven && proven == nullptr) proven = &origin;
  }
  const auto& kept = highlights.first_step();
  const bool digests_only =
      kept && !kept->buffers.empty() &&
      std::all_of(kept->buffers.begin(), kept->buffers.end(),
                  [](const BufferResult& result) { return result.by_digest; });

  const std::string steps = fmt::format("{}", first.step);
  if (!groups.empty() && !comparison.selection.empty()) {
    page.paragraph(fmt::format("What is missing may be in these runs. Compare again without {}:",
                               printable(comparison.selection)));
    page.line(
        fmt::format("    compare-backward-state {} {}", shell_word(runs[0]), shell_word(runs[1])));
    return;
  }
  if (!groups.empty()) {
    page.paragraph("Dump what is missing at that step, twice, and compare again:");
    page.line("    " + dump_command(steps, groups_with(comparison, rank, groups),
                                    digests_only ? "full" : ""));
    return;
  }
  if (digests_only) {
    page.paragraph("Dump the values of that step, twice, and compare again:");
    page.line("    " + dump_command(steps, groups_with(comparison, rank, ""), "full"));
    return;
  }
  if (proven != nullptr) {
    page.paragraph("See the values on both sides:");
    for (const std::string& run : runs) {
      page.line("    " + inspect(run, rank, comparison.ranks.size() > 1, first, *proven));
    }
    return;
  }
  if (external && first.step > 0) {
    page.paragraph("Dump the steps before, twice, to see where it came in:");
    page.line("    " + dump_command(fmt::format("0-{}", first.step), "", ""));
  } else if (external) {
    page.paragraph(
        "Compare what the program itself feeds in: data, seeds, order of its inputs. The "
        "kernels had no part in it.");
  } else {
    page.paragraph(
        "Name the makers of these buffers in a profile and compare again with "
        "--profile FILE.");
  }
}

}  // namespace

void next(Page& page, const Comparison& comparison, const Highlights& highlights,
          const std::vector<std::string>& runs) {
  page.section("Next");
  const std::string both = shell_word(runs[0]) + " " + shell_word(runs[1]);
  switch (comparison.verdict) {
    case Verdict::identical:
      page.paragraph(
          "One equal pair does not rule out a race that shows once in many runs. Record "
          "more runs and compare them all at once:");
      page.line("    compare-backward-state " + both + " <run> ...");
      return;
    case Verdict::diverged:
      if (const auto first = first_diverged_rank(comparison)) {
        after_divergence(page, comparison, comparison.ranks[*first], highlights, runs);
      } else {
        page.paragraph(
            "The rows came in another order and nothing else differs: find who orders "
            "them, or live with it; the profile says that no reader minds.");
      }
      return;
    case Verdict::unverified:
      break;
  }
  page.paragraph("Do what the problems above ask for, then compare again.");
  std::vector<std::string> logged;  // a bare run has nothing to be verified against
  for (std::size_t side = 0; side < 2 && !comparison.ranks.empty(); ++side) {
    const RankComparison& rank = comparison.ranks.front();
    if ((side == 0 ? rank.a : rank.b).state != "bare") logged.push_back(runs[side]);
  }
  if (logged.empty()) return;
  page.paragraph("Whether a run is whole in itself:");
  for (const std::string& run : logged) page.line("    inspect-run " + shell_word(run) + " verify");
}

}  // namespace foxhunt::sections
