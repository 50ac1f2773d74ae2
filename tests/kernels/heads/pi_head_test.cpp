// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "kernels/heads/pi_head_oracle.h"
#include "tests/kernels/heads/expectations.h"
#include "tests/kernels/heads/pi_head_case.h"
#include "tests/kernels/support/schedules.h"

namespace foxhunt::heads_test {
namespace {

using oracle::exactly;
using C = Conditioned;

class PiHead : public testing::TestWithParam<std::tuple<int, int, int, float>> {};

TEST_P(PiHead, AgreesWithTheOracle) {
  const auto [batch, hidden, actions, entropy_weight] = GetParam();
  const PiHeadCase c(batch, hidden, actions, entropy_weight);
  const Outputs got = c.run();
  const auto h = exactly<C>(c.h), w = exactly<C>(c.w);
  expect_close("pi_head logits", got.at("logits"),
               oracle::linear(h, w, exactly<C>(c.b), count(batch)));
  const auto loss = oracle::policy_loss(exactly<C>(got.at("logits")), c.taken,
                                        exactly<C>(c.log_pi_old), exactly<C>(c.advantage), c.loss);
  expect_close("pi_head loss", got.at("loss"), loss.loss);
  expect_close("pi_head grad_logits", got.at("grad_logits"), loss.grad_logits);
  const auto grad = oracle::linear_backward(h, w, exactly<C>(got.at("grad_logits")), count(batch),
                                            count(actions));
  expect_close("pi_head grad_h", got.at("grad_h"), grad.x);
  expect_close("pi_head grad_w", got.at("grad_w"), grad.w);
  expect_close("pi_head grad_b", got.at("grad_b"), grad.b);
}

INSTANTIATE_TEST_SUITE_P(Sizes, PiHead,
                         testing::Values(std::tuple(1, 1, 1, 0.0f), std::tuple(5, 7, 3, 0.01f),
                                         std::tuple(64, 64, 4, 0.01f),
                                         std::tuple(67, 130, 9, 0.0f)));

TEST(PiHeadLoss, ClipsWhatWouldMoveTheRatioFurtherAway) {
  PiHeadCase c(4, 1, 2, 0.0f);
  c.w.assign(2, 0.0f);
  c.b.assign(2, 0.0f);  // both actions have probability 1/2
  c.taken = {0, 0, 0, 0};
  const float high = std::log(0.5f / 2.0f), low = std::log(0.5f / 0.5f);  // ratios 2 and 1/2
  c.log_pi_old = {high, high, low, low};
  c.advantage = {1.0f, -1.0f, 1.0f, -1.0f};
  const Outputs got = c.run();
  EXPECT_EQ(got.at("grad_logits")[0], 0.0f);
  EXPECT_NEAR(got.at("grad_logits")[2], 2 * 0.5 / 4, 1e-6);
  EXPECT_NEAR(got.at("grad_logits")[4], -0.5 * 0.5 / 4, 1e-6);
  EXPECT_EQ(got.at("grad_logits")[6], 0.0f);
}

TEST(PiHeadOracle, ItsGradientsAreTheSlopesOfItsLoss) {
  const PiHeadCase c(12, 5, 3, 0.05f);
  const auto h = widened(c.h), w = widened(c.w), b = widened(c.b);
  const auto old = widened(c.log_pi_old), advantage = widened(c.advantage);
  expect_head_slopes(h, w, b, 12, [&](const auto& logits) {
    return oracle::policy_loss(logits, c.taken, old, advantage, c.loss);
  });
}

TEST(PiHeadSchedules, KeepsItsBitsUnderEverySchedule) {
  const PiHeadCase c(70, 9, 4, 0.01f);
  test::expect_schedule_invariant([&] { return bytes_of(c.run()); });
}

TEST(PiHeadAlignment, DoesNotCareWhereBuffersBegin) {
  const PiHeadCase c(9, 8, 4, 0.01f);
  expect_same_bits_wherever_buffers_begin([&] { return c.run(); });
}

TEST(PiHeadEmptyBatch, HasZeroWeightGradients) {
  const Outputs got = PiHeadCase(0, 5, 3, 0.01f).run();
  EXPECT_EQ(got.at("grad_w"), std::vector<float>(15, 0.0f));
  EXPECT_EQ(got.at("grad_b"), std::vector<float>(3, 0.0f));
}

}  // namespace
}  // namespace foxhunt::heads_test
