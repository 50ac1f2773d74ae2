// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "compare/report/page.h"
#include "compare/report/text_report.h"
#include "compare/report/text_sections.h"
#include "compare/verdict/claims.h"

namespace foxhunt {
namespace {

using sections::kMaxListed;

std::string cluster_name(std::size_t index) {
  return index < 26 ? std::string(1, static_cast<char>('A' + index)) : fmt::format("#{}", index);
}

// Index of the cluster whose representative is run number `run`.
std::size_t cluster_of(const Clustering& clustering, std::size_t run) {
  const auto& clusters = clustering.clusters;
  return static_cast<std::size_t>(
      std::find_if(clusters.begin(), clusters.end(),
                   [run](const Cluster& c) { return c.members.front() == run; }) -
      clusters.begin());
}

std::string first_line(const Clustering& clustering, std::size_t runs) {
  switch (clustering.verdict) {
    case Verdict::identical:
      return fmt::format("IDENTICAL: all {} runs are equal bit for bit", runs);
    case Verdict::diverged: {
      const PairResult* split = first_split(clustering);
      return fmt::format(
          "DIVERGED: {} runs fall into {}{}", runs, count_of(clustering.clusters.size(), "cluster"),
          split == nullptr
              ? ""
              : fmt::format("; they first part at step {}", split->first_divergence->step));
    }
    case Verdict::unverified:
      break;
  }
  return fmt::format("UNVERIFIED: nothing differs among {} runs, but not all could be proven equal",
                     runs);
}

void print_clusters(Page& page, const Clustering& clustering,
                    const std::vector<std::string>& runs) {
  page.section("Clusters (runs within one are bit-identical)");
  const std::size_t listed = std::min<std::size_t>(clustering.clusters.size(), 2 * kMaxListed);
  for (std::size_t i = 0; i < listed; ++i) {
    const Cluster& cluster = clustering.clusters[i];
    std::vector<std::string> names;
    for (const std::size_t member : cluster.members) names.push_back(runs[member]);
    page.paragraph(fmt::format("{} ({} of {}): {}", cluster_name(i), cluster.members.size(),
                               runs.size(), sections::name_list(names, 2 * kMaxListed)),
                   2, 5);
    if (cluster.perhaps_equal_to.empty()) continue;
    std::string others;
    for (const std::size_t run : cluster.perhaps_equal_to) {
      others += (others.empty() ? "" : ", ") + cluster_name(cluster_of(clustering, run));
    }
    page.paragraph(fmt::format("may be equal to {}: nothing that was compared differs, but not "
                               "everything could be compared",
                               others),
                   5, 5);
  }
  if (listed < clustering.clusters.size()) {
    page.line("  " + sections::more(clustering.clusters.size() - listed));
  }
}

void print_splits(Page& page, const Clustering& clustering) {
  std::size_t listed = 0, splits = 0;
  for (const PairResult& pair : clustering.pairs) {
    const std::size_t second = cluster_of(clustering, pair.b);
    // A member's comparisons on the way to its cluster repeat those of its representative.
    if (!pair.first_divergence || second == clustering.clusters.size()) continue;
    if (splits++ == 0) page.section("Where they part");
    if (listed == kMaxListed) continue;
    ++listed;
    const FirstDivergence& first = *pair.first_divergence;
    std::string text =
        fmt::format("{} and {}: step {}", cluster_name(cluster_of(clustering, pair.a)),
                    cluster_name(second), first.step);
    if (pair.rank > 0) text += fmt::format(", rank {}", pair.rank);
    if (!first.origins.empty()) {
      const Origin& origin = first.origins.front();
      text += fmt::format(", {} ({}) by {}, {}", origin.buffer, origin.group, origin_maker(origin),
                          claim_name(origin.claim));
      if (first.origins.size() + first.origins_not_listed > 1) {
        text += fmt::format(
            ", and {}",
            count_of(first.origins.size() + first.origins_not_listed - 1, "more origin"));
      }
    }
    page.paragraph(text, 2, 4);
  }
  if (splits > listed) page.line("  " + sections::more(splits - listed));
}

void print_next(Page& page, const Clustering& clustering, const std::vector<std::string>& runs) {
  page.section("Next");
  if (const PairResult* split = first_split(clustering)) {
    page.paragraph("See the first split in full:");
    page.line(fmt::format("    compare-backward-state {} {}", shell_word(runs[split->a]),
                          shell_word(runs[split->b])));
  } else if (clustering.verdict == Verdict::identical) {
    // The rule of three: no event in n trials bounds its rate by 3/n with 95 % confidence. Runs
    // after the first are the trials.
    const double rate = std::min(1.0, 3.0 / static_cast<double>(runs.size() - 1));
    page.paragraph(
        fmt::format("{} runs equal to the first: with 95 % confidence fewer than {:.2g} % of "
                    "runs differ from it. More runs say more.",
                    runs.size() - 1, 100 * rate));
  } else {
    page.paragraph("Do what the problems above ask for, then compare again.");
  }
}

}  // namespace

std::string text_report(const Clustering& clustering, const std::vector<std::string>& runs,
                        const TextOptions& options) {
  Page page(options.colour);
  sections::verdict(page, clustering.verdict, first_line(clustering, runs.size()));

  // Each pair repeats what the runs' provenance says; the first pair that differs stands for all.
  for (const PairResult& pair : clustering.pairs) {
    if (pair.provenance_differences.empty()) continue;
    sections::provenance(page, pair.provenance_differences);
    page.line(fmt::format("  (a {}, b {}; --format json has the other pairs)",
                          printable(runs[pair.a]), printable(runs[pair.b])));
    break;
  }
  print_clusters(page, clustering, runs);
  print_splits(page, clustering);
  if (clustering.within_tolerance) {
    page.section("Tolerance (the verdict stays bytewise)");
    page.paragraph(*clustering.within_tolerance
                       ? "Every run is within tolerance of the first."
                       : "Not every run is within tolerance of the first.");
  }
  std::vector<Problem> problems;
  std::uint64_t not_listed = 0;
  for (const PairResult& pair : clustering.pairs) {
    problems.insert(problems.end(), pair.problems.begin(), pair.problems.end());
    not_listed += pair.problems_not_listed;
  }
  sections::problems(page, problems, not_listed);
  print_next(page, clustering, runs);
  return page.text();
}

}  // namespace foxhunt
