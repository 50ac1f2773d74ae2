// SPDX-License-Identifier: MIT
#include "kernels/replay/rl_per_tree_rebuild.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/replay/replay_oracle.h"
#include "tests/kernels/support/device_array.h"
#include "tests/kernels/support/inputs.h"
#include "tests/kernels/support/near_oracle.h"
#include "tests/kernels/support/schedules.h"

namespace foxhunt::test {
namespace {

std::vector<float> random_priorities(int capacity) {
  auto priorities = random_floats(static_cast<std::size_t>(capacity), 91);
  for (float& p : priorities) p = std::fabs(p);
  return priorities;
}

std::vector<float> rebuilt(const std::vector<float>& priorities,
                           TreeRebuildVariant variant = TreeRebuildVariant::deterministic) {
  DeviceArray<float> in(priorities), tree(2 * priorities.size());
  rl_per_tree_rebuild(in.get(), static_cast<int>(priorities.size()), tree.get(), nullptr, variant);
  return tree.read();
}

Bytes bytes_of_tree(const std::vector<float>& priorities, TreeRebuildVariant variant) {
  Bytes bytes;
  append(bytes, rebuilt(priorities, variant));
  return bytes;
}

class TreeRebuild : public testing::TestWithParam<int> {
 protected:
  const std::vector<float> priorities_ = random_priorities(GetParam());
};

// Every level rounds each sum once, and all terms are positive.
TEST_P(TreeRebuild, SumsUpToTheRoot) {
  const auto oracle = oracle::tree_rebuild(to_double(priorities_));
  const double levels = std::log2(GetParam());
  expect_near_oracle(rebuilt(priorities_), oracle, oracle, levels);
  expect_near_oracle(rebuilt(priorities_, TreeRebuildVariant::multi_block_no_fence), oracle, oracle,
                     levels);
  expect_near_oracle(rebuilt(priorities_, TreeRebuildVariant::float_atomics), oracle, oracle,
                     GetParam());
}

TEST_P(TreeRebuild, MakesEveryParentTheSumOfItsChildren) {
  const auto tree = rebuilt(priorities_);
  EXPECT_EQ(tree[0], 0.0f);
  for (std::size_t k = 1; k < priorities_.size(); ++k) {
    ASSERT_EQ(tree[k], tree[2 * k] + tree[2 * k + 1]) << k;
  }
}

TEST_P(TreeRebuild, IsTheSameUnderEverySchedule) {
  expect_schedule_invariant(
      [&] { return bytes_of_tree(priorities_, TreeRebuildVariant::deterministic); });
}

INSTANTIATE_TEST_SUITE_P(Capacities, TreeRebuild,
                         testing::Values(1, 2, 4, 16, 32, 256, 1024, 16384));

// More subtrees than one round of the top takes.
TEST(TreeRebuild, OfManySubtreesSumsUpToo) {
  const auto priorities = random_priorities(1 << 19);
  const auto tree = rebuilt(priorities);
  for (std::size_t k = 1; k < priorities.size(); ++k) {
    ASSERT_EQ(tree[k], tree[2 * k] + tree[2 * k + 1]) << k;
  }
}

TEST(TreeRebuild, WithFloatAtomicsDependsOnTheSchedule) {
  const auto priorities = random_priorities(256);
  expect_schedule_dependent("rl_per_tree_rebuild=float_atomics", [&] {
    return bytes_of_tree(priorities, TreeRebuildVariant::float_atomics);
  });
}

TEST(TreeRebuild, ByManyBlocksWithoutAFenceDependsOnTheSchedule) {
  if (!instrumented()) GTEST_SKIP() << "stores become visible late in the instrumented build only";
  const auto priorities = random_priorities(256);
  expect_schedule_dependent("rl_per_tree_rebuild=multi_block_no_fence", [&] {
    return bytes_of_tree(priorities, TreeRebuildVariant::multi_block_no_fence);
  });
}

}  // namespace
}  // namespace foxhunt::test
