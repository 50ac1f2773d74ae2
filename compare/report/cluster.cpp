// SPDX-License-Identifier: MIT
#include "compare/report/cluster.h"

#include <utility>

#include "dump/format/error.h"

namespace foxhunt {
namespace {

PairResult summarise(std::size_t a, std::size_t b, Comparison comparison) {
  PairResult pair;
  pair.a = a;
  pair.b = b;
  pair.verdict = comparison.verdict;
  if (const auto rank = first_diverged_rank(comparison)) {
    pair.rank = comparison.ranks[*rank].rank;
    pair.first_divergence = std::move(comparison.ranks[*rank].first_divergence);
  }
  for (const RankComparison& rank : comparison.ranks) {
    pair.equal += rank.equal;
    pair.steps += rank.steps;
  }
  pair.provenance_differences = std::move(comparison.provenance_differences);
  pair.problems = std::move(comparison.problems);
  pair.problems_not_listed = comparison.problems_not_listed;
  if (pair.problems.size() > PairResult::kMaxProblems) {
    pair.problems_not_listed += pair.problems.size() - PairResult::kMaxProblems;
    pair.problems.resize(PairResult::kMaxProblems);
  }
  pair.within_tolerance = comparison.within_tolerance;
  pair.everything_compared = comparison.everything_compared;
  return pair;
}

}  // namespace

const PairResult* first_split(const Clustering& clustering) noexcept {
  const PairResult* first = nullptr;
  for (const PairResult& pair : clustering.pairs) {
    if (!pair.first_divergence) continue;
    if (first == nullptr || pair.first_divergence->step < first->first_divergence->step) {
      first = &pair;
    }
  }
  return first;
}

Clustering cluster_runs(std::size_t runs, const ComparePair& compare) {
  FOXHUNT_ASSERT(runs >= 2);
  Clustering result;
  result.clusters.push_back({{0}, {}});
  bool diverged = false;
  for (std::size_t run = 1; run < runs; ++run) {
    std::vector<std::size_t> perhaps;
    bool placed = false;
    for (Cluster& cluster : result.clusters) {
      const std::size_t representative = cluster.members.front();
      PairResult pair = summarise(representative, run, compare(representative, run));
      diverged |= pair.verdict == Verdict::diverged;
      if (representative == 0 && pair.within_tolerance) {
        result.within_tolerance = result.within_tolerance.value_or(true) && *pair.within_tolerance;
      }
      placed = pair.verdict == Verdict::identical;
      if (pair.verdict == Verdict::unverified) perhaps.push_back(representative);
      result.pairs.push_back(std::move(pair));
      if (placed) {
        cluster.members.push_back(run);
        break;
      }
    }
    if (!placed) result.clusters.push_back({{run}, std::move(perhaps)});
  }
  result.verdict = diverged                      ? Verdict::diverged
                   : result.clusters.size() == 1 ? Verdict::identical
                                                 : Verdict::unverified;
  return result;
}

}  // namespace foxhunt
