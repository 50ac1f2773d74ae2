// SPDX-License-Identifier: MIT
#include "compare/report/text_sections.h"

#include <fmt/format.h>

#include <algorithm>

namespace foxhunt::sections {

std::string name_list(const std::vector<std::string>& names, std::size_t max) {
  std::string text;
  for (std::size_t i = 0; i < std::min(max, names.size()); ++i) {
    if (i > 0) text += ", ";
    text += printable(names[i]);
  }
  if (names.size() > max) text += fmt::format(" and {} more", names.size() - max);
  return text;
}

std::string more(std::uint64_t count) {
  return fmt::format("and {} more; --format json lists all", grouped(count));
}

void verdict(Page& page, Verdict verdict, const std::string& line) {
  const std::size_t word = line.find_first_of(" :");
  const Page::Ink ink = verdict == Verdict::identical  ? Page::Ink::good
                        : verdict == Verdict::diverged ? Page::Ink::bad
                                                       : Page::Ink::warn;
  page.line(page.paint(line.substr(0, word), ink) + line.substr(word));
}

void provenance(Page& page, const std::vector<ProvenanceDifference>& differences) {
  if (differences.empty()) return;
  // The order in which a simulated device ran its work is what two runs are meant to differ in.
  const bool orders_only =
      std::all_of(differences.begin(), differences.end(), [](const ProvenanceDifference& d) {
        return d.key == "schedule" || d.key == "schedule_seed";
      });
  page.section(
      orders_only
          ? "The runs were made alike, but for the order in which their device ran its work"
          : "The runs were not made alike: rule this out before you believe anything below");
  std::size_t width = 0;
  for (const ProvenanceDifference& d : differences) width = std::max(width, d.key.size());
  width = std::min<std::size_t>(width, 32);
  const auto shown = [](const std::string& text) {
    constexpr std::size_t kMax = 200;
    if (text.empty()) return std::string("(not set)");
    return printable(text.substr(0, kMax)) + (text.size() > kMax ? "..." : "");
  };
  const std::size_t listed = std::min<std::size_t>(differences.size(), 2 * kMaxListed);
  for (std::size_t i = 0; i < listed; ++i) {
    const ProvenanceDifference& d = differences[i];
    const std::string head = fmt::format("  {:<{}}  ", printable(d.key), width);
    const std::string a = shown(d.a), b = shown(d.b);
    if (head.size() + a.size() + b.size() + 8 <= Page::kWidth) {
      page.line(fmt::format("{}a {}   b {}", head, a, b));
    } else {
      page.line(fmt::format("{}a {}", head, a));
      page.line(fmt::format("{}b {}", std::string(head.size(), ' '), b));
    }
  }
  if (listed < differences.size()) page.line("  " + more(differences.size() - listed));
}

void ranks(Page& page, const Comparison& comparison) {
  if (comparison.ranks.size() < 2) return;
  const auto first = first_diverged_rank(comparison);
  page.section(fmt::format("Ranks ({})", comparison.ranks.size()));
  std::uint64_t ties = 0, listed = 0, identical = 0, unverified = 0, diverged = 0;
  for (const RankComparison& rank : comparison.ranks) {
    identical += rank.verdict == Verdict::identical;
    unverified += rank.verdict == Verdict::unverified;
    if (rank.verdict != Verdict::diverged) continue;
    if (first && rank.first_divergence &&
        rank.first_divergence->step == comparison.ranks[*first].first_divergence->step) {
      ++ties;
    }
    if (++diverged > kMaxListed) continue;
    ++listed;
    if (rank.first_divergence && !rank.first_divergence->origins.empty()) {
      const Origin& origin = rank.first_divergence->origins.front();
      page.line(fmt::format("  rank {}: diverged at step {}, first {} ({}), {}", rank.rank,
                            rank.first_divergence->step, origin.buffer, origin.group,
                            claim_name(origin.claim)));
    } else {
      page.line(fmt::format("  rank {}: diverged", rank.rank));
    }
  }
  if (diverged > listed) page.line("  " + more(diverged - listed));
  if (identical > 0) page.line(fmt::format("  {}: identical", count_of(identical, "rank")));
  if (unverified > 0) {
    page.line(
        fmt::format("  {}: unverified, see the problems below", count_of(unverified, "rank")));
  }
  if (ties > 1) {
    page.paragraph(
        fmt::format("{} ranks diverge at the same step. Which of them came first cannot be "
                    "told from here: order across ranks is not causality.",
                    ties));
  }
}

void healed(Page& page, const Comparison& comparison) {
  std::uint64_t count = 0;
  for (const RankComparison& rank : comparison.ranks) count += rank.healed.size();
  if (count == 0) return;
  page.section("Healed: differed, then equal again (an equal step clears no earlier one)");
  std::uint64_t listed = 0;
  for (const RankComparison& rank : comparison.ranks) {
    for (const Healed& healed : rank.healed) {
      if (listed == kMaxListed) {
        page.line("  " + more(count - listed));
        return;
      }
      ++listed;
      page.line(
          fmt::format("  {}: last differed at step {}, equal at step {}{}", healed.buffer,
                      healed.diverged_step, healed.equal_step,
                      comparison.ranks.size() > 1 ? fmt::format(" (rank {})", rank.rank) : ""));
    }
  }
}

void problems(Page& page, const std::vector<Problem>& problems, std::uint64_t not_listed) {
  if (problems.empty()) return;
  const std::uint64_t total = problems.size() + not_listed;
  page.section(fmt::format("Problems ({})", grouped(total)));
  const std::size_t listed = std::min(problems.size(), kMaxListed);
  for (std::size_t i = 0; i < listed; ++i) {
    const Problem& problem = problems[i];
    // Most messages begin with the path.
    const bool named = problem.path.empty() || problem.message.find(problem.path) == 0;
    page.paragraph(
        fmt::format("[{}] {}{}", problem.code, named ? "" : printable(problem.path) + ": ",
                    printable(problem.message)),
        2, 4);
  }
  if (listed < total) page.line("  " + more(total - listed));
}

void blind_spots(Page& page, const Comparison& comparison) {
  if (comparison.verdict != Verdict::identical) return;
  page.section("What this does not cover");
  for (const RankComparison& rank : comparison.ranks) {
    if (rank.never_dumped.empty()) continue;
    constexpr std::size_t kMaxNames = 24;
    page.paragraph(
        fmt::format("{}known to the profile \"{}\" and not dumped{}: {}.",
                    comparison.ranks.size() > 1 ? fmt::format("rank {}: ", rank.rank) : "",
                    printable(comparison.profile_name),
                    rank.never_dumped.size() == 1
                        ? ""
                        : " (" + std::to_string(rank.never_dumped.size()) + " buffers)",
                    name_list(rank.never_dumped, kMaxNames)),
        2, 4);
    break;  // the ranks of a run dump alike; --format json lists each
  }
  page.paragraph(
      "the usual suspects outside: optimizer moments; writes of the target projection; a "
      "capture that ran before its reducer.",
      2, 4);
}

}  // namespace foxhunt::sections
