// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <tuple>

#include "kernels/heads/bellman_target_oracle.h"
#include "kernels/heads/dueling_compose_oracle.h"
#include "tests/kernels/heads/bellman_case.h"
#include "tests/kernels/heads/expectations.h"
#include "tests/kernels/support/schedules.h"

namespace foxhunt::heads_test {
namespace {

using oracle::exactly;
using C = Conditioned;

class Bellman : public testing::TestWithParam<std::tuple<int, int, int>> {
 protected:
  static BellmanCase parameters() {
    const auto [batch, actions, atoms] = GetParam();
    return {batch, actions, atoms};
  }
};

TEST_P(Bellman, TargetAgreesWithTheOracle) {
  const BellmanCase c = parameters();
  const auto want =
      oracle::bellman_target<C>({exactly<C>(c.target_q_logits), exactly<C>(c.target_v),
                                 exactly<C>(c.v_pred), exactly<C>(c.rewards), exactly<C>(c.dones)},
                                count(c.actions), c.support, c.discount);
  const Outputs got = c.run();
  expect_close("bellman td_error", got.at("td_error"), want.td_error);
  // Where two actions are nearly equal, rounding may rightly pick the other.
  const auto atoms = static_cast<std::ptrdiff_t>(c.support.atoms);
  std::vector<float> target;
  std::vector<C> clear;
  for (std::ptrdiff_t b = 0; b < c.batch; ++b) {
    if (want.lead[static_cast<std::size_t>(b)] < 1e-4) continue;
    const auto row = got.at("target").begin() + b * atoms;
    target.insert(target.end(), row, row + atoms);
    clear.insert(clear.end(), want.target.begin() + b * atoms,
                 want.target.begin() + (b + 1) * atoms);
  }
  expect_close("bellman target", target, clear);
}

TEST_P(Bellman, DuelingAgreesWithTheOracle) {
  const BellmanCase c = parameters();
  expect_close("dueling q", c.compose().at("q"),
               oracle::dueling_compose(exactly<C>(c.q_logits), exactly<C>(c.target_v),
                                       count(c.actions), c.support));
}

INSTANTIATE_TEST_SUITE_P(Sizes, Bellman,
                         testing::Values(std::tuple(1, 1, 2), std::tuple(5, 3, 7),
                                         std::tuple(64, 4, 51), std::tuple(3, 11, 130)));

TEST(BellmanTarget, RowsSumToOne) {
  const BellmanCase c(64, 4, 51);
  const Outputs got = c.run();
  for (std::size_t b = 0; b < 64; ++b) {
    double sum = 0;
    for (std::size_t z = 0; z < 51; ++z) sum += got.at("target")[b * 51 + z];
    EXPECT_NEAR(sum, 1, 51 * 0x1p-24) << b;
  }
}

TEST(BellmanTarget, OfAnEpisodesEndIsItsReward) {
  BellmanCase c(2, 2, 11);  // atoms at -4, -3, ... 6
  c.dones = {1, 1};
  c.rewards = {2, 100};
  const Outputs got = c.run();
  for (std::size_t z = 0; z < 11; ++z) {
    EXPECT_NEAR(got.at("target")[z], z == 6 ? 1 : 0, 1e-6);
    EXPECT_NEAR(got.at("target")[11 + z], z == 10 ? 1 : 0, 1e-6);
  }
}

TEST(BellmanTarget, TakesTheFirstOfEqualActions) {
  BellmanCase c(1, 3, 5);
  c.dones = {0};
  c.rewards = {0};
  c.discount = 1;
  // Action 0 is worse; 1 and 2 have one mean by different distributions.
  c.target_q_logits = {9, 0, 0, 0, 0, -99, -99, 0, -99, -99, -99, 0, -99, 0, -99};
  const Outputs got = c.run();
  EXPECT_NEAR(got.at("target")[2], 1, 1e-6);
}

TEST(Dueling, ItsMeanOverActionsIsTheValue) {
  const BellmanCase c(9, 4, 51);
  const Outputs got = c.compose();
  for (std::size_t b = 0; b < 9; ++b) {
    double sum = 0;
    for (std::size_t a = 0; a < 4; ++a) sum += got.at("q")[b * 4 + a];
    EXPECT_NEAR(sum / 4, c.target_v[b], 1e-6);
  }
}

TEST(BellmanTarget, KeepsItsBitsUnderEverySchedule) {
  const BellmanCase c(5, 3, 51);
  test::expect_schedule_invariant([&] { return bytes_of(c.run()); });
}

TEST(BellmanTarget, AScatterByAtomicsShows) {
  const BellmanCase c(5, 3, 51);
  test::expect_schedule_dependent("bellman_target_projection=scatter_atomics", [&] {
    return bytes_of(c.run(BellmanTargetVariant::scatter_atomics));
  });
}

TEST(Dueling, KeepsItsBitsUnderEverySchedule) {
  const BellmanCase c(50, 3, 11);
  test::expect_schedule_invariant([&] { return bytes_of(c.compose()); });
}

TEST(BellmanTarget, DoesNotCareWhereBuffersBegin) {
  const BellmanCase c(9, 4, 12);
  expect_same_bits_wherever_buffers_begin([&] { return c.run(); });
}

TEST(Dueling, DoesNotCareWhereBuffersBegin) {
  const BellmanCase c(9, 4, 12);
  expect_same_bits_wherever_buffers_begin([&] { return c.compose(); });
}

TEST(BellmanTarget, OfAnEmptyBatchIsEmpty) {
  const BellmanCase c(0, 3, 5);
  EXPECT_TRUE(c.run().at("target").empty());
  EXPECT_TRUE(c.compose().at("q").empty());
}

}  // namespace
}  // namespace foxhunt::heads_test
