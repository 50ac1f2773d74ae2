// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compare/runs/comparison.h"

namespace foxhunt {

// More than two runs: which are bit-identical to which. Runs are numbered from 0, as given.

// What is kept of one comparison.
struct PairResult {
  static constexpr std::size_t kMaxProblems = 20;

  std::size_t a = 0, b = 0;
  Verdict verdict = Verdict::unverified;
  std::optional<FirstDivergence> first_divergence;  // of the rank that diverged first
  std::uint32_t rank = 0;
  std::vector<ProvenanceDifference> provenance_differences;
  std::vector<Problem> problems;  // the first few
  std::uint64_t problems_not_listed = 0;
  std::optional<bool> within_tolerance;
  bool everything_compared = false;
  std::uint64_t equal = 0, steps = 0;  // buffers found equal, steps compared
};

struct Cluster {
  std::vector<std::size_t> members;  // proven identical to the first of them, which speaks for all
  // Other clusters' representatives from which nothing proved this one different or equal: the two
  // clusters may be one.
  std::vector<std::size_t> perhaps_equal_to;
};

struct Clustering {
  Verdict verdict = Verdict::unverified;  // identical: one cluster; diverged: some pair did
  std::vector<Cluster> clusters;          // by their first member
  std::vector<PairResult> pairs;          // in the order compared
  std::optional<bool> within_tolerance;   // of every run against run 0
};

// The pair that split first: the smallest first divergent step. Null when no pair diverged.
const PairResult* first_split(const Clustering& clustering) noexcept;

// Compares each run with the representative of each cluster so far, the first run's first, until it
// is found identical to one; a run identical to none starts a cluster of its own. So every run is
// compared with run 0. At least two runs.
//
// compare  compares runs number `a` and `b`; usually compare_runs, stopping at the first divergent
//          step
using ComparePair = std::function<Comparison(std::size_t a, std::size_t b)>;
Clustering cluster_runs(std::size_t runs, const ComparePair& compare);

}  // namespace foxhunt
