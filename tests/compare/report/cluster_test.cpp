// SPDX-License-Identifier: MIT
#include "compare/report/cluster.h"

#include <gtest/gtest.h>

#include <set>

#include "compare/report/exit_code.h"
#include "tests/compare/report/sample.h"

namespace foxhunt {
namespace {

// Runs of letters: equal letters are identical runs, '?' cannot be judged against anything.
Clustering cluster(const std::string& outcomes) {
  return cluster_runs(outcomes.size(), [&](std::size_t a, std::size_t b) {
    if (outcomes[a] == '?' || outcomes[b] == '?') return test::unverified_comparison();
    return outcomes[a] == outcomes[b] ? test::identical_comparison() : test::diverged_comparison();
  });
}

std::vector<std::vector<std::size_t>> members(const Clustering& clustering) {
  std::vector<std::vector<std::size_t>> all;
  for (const Cluster& one : clustering.clusters) all.push_back(one.members);
  return all;
}

using Members = std::vector<std::vector<std::size_t>>;

TEST(Clusters, AreOneWhenAllRunsAreIdentical) {
  const Clustering clustering = cluster("aaaa");
  EXPECT_EQ(clustering.verdict, Verdict::identical);
  EXPECT_EQ(members(clustering), (Members{{0, 1, 2, 3}}));
  EXPECT_EQ(clustering.pairs.size(), 3u) << "one comparison a run";
  EXPECT_EQ(first_split(clustering), nullptr);
}

TEST(Clusters, PutEachRunWithItsLike) {
  const Clustering clustering = cluster("abacb");
  EXPECT_EQ(clustering.verdict, Verdict::diverged);
  EXPECT_EQ(members(clustering), (Members{{0, 2}, {1, 4}, {3}}));
  EXPECT_EQ(exit_code(clustering, {}), 1);
  ASSERT_NE(first_split(clustering), nullptr);
  EXPECT_EQ(first_split(clustering)->a, 0u);
  EXPECT_EQ(first_split(clustering)->b, 1u);
}

TEST(Clusters, CompareEveryRunWithTheFirst) {
  std::set<std::size_t> seen;
  for (const PairResult& pair : cluster("abacb").pairs) {
    if (pair.a == 0) seen.insert(pair.b);
  }
  EXPECT_EQ(seen, (std::set<std::size_t>{1, 2, 3, 4}));
}

TEST(Clusters, DoNotTakeAnUnverifiedRunForEqual) {
  const Clustering clustering = cluster("aa?");
  EXPECT_EQ(clustering.verdict, Verdict::unverified);
  EXPECT_EQ(members(clustering), (Members{{0, 1}, {2}}));
  EXPECT_EQ(clustering.clusters[1].perhaps_equal_to, (std::vector<std::size_t>{0}));
  EXPECT_EQ(exit_code(clustering, {}), 2);
  EXPECT_EQ(exit_code(clustering, {true, false}), 125);
}

TEST(Clusters, StillSortTheOthersWhenTheFirstRunCannotBeJudged) {
  EXPECT_EQ(members(cluster("?aab")), (Members{{0}, {1, 2}, {3}}));
  EXPECT_EQ(cluster("?aab").verdict, Verdict::diverged);
}

TEST(Clusters, AcceptAToleranceOnlyForEveryRun) {
  const auto with = [](bool second) {
    return cluster_runs(3, [=](std::size_t, std::size_t b) {
      Comparison comparison = test::diverged_comparison();
      comparison.within_tolerance = b == 1 || second;
      return comparison;
    });
  };
  EXPECT_EQ(exit_code(with(true), {false, true}), 0);
  EXPECT_EQ(exit_code(with(false), {false, true}), 1);
  EXPECT_EQ(exit_code(with(true), {}), 1);
}

}  // namespace
}  // namespace foxhunt
