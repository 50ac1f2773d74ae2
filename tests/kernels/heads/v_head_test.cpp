// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <tuple>

#include "kernels/heads/v_head_oracle.h"
#include "tests/kernels/heads/expectations.h"
#include "tests/kernels/heads/v_head_case.h"
#include "tests/kernels/support/schedules.h"

namespace foxhunt::heads_test {
namespace {

using oracle::exactly;
using C = Conditioned;

class VHead : public testing::TestWithParam<std::tuple<int, int, int>> {};

TEST_P(VHead, AgreesWithTheOracle) {
  const auto [batch, hidden, atoms] = GetParam();
  const VHeadCase c(batch, hidden, atoms);
  const Outputs got = c.run();
  const auto h = exactly<C>(c.h), w = exactly<C>(c.w);
  expect_close("v_head v", got.at("v"), oracle::linear(h, w, exactly<C>(c.b), count(batch)));
  const auto loss = oracle::value_loss(exactly<C>(got.at("v")), exactly<C>(c.target), c.support);
  expect_close("v_head loss", got.at("loss"), loss.loss);
  expect_close("v_head grad_v", got.at("grad_v"), loss.grad_logits);
  const auto grad = oracle::linear_backward(h, w, exactly<C>(got.at("grad_v")), count(batch), 1);
  expect_close("v_head grad_h", got.at("grad_h"), grad.x);
  expect_close("v_head grad_w", got.at("grad_w"), grad.w);
  expect_close("v_head grad_b", got.at("grad_b"), grad.b);
}

INSTANTIATE_TEST_SUITE_P(Sizes, VHead,
                         testing::Values(std::tuple(1, 1, 2), std::tuple(5, 7, 3),
                                         std::tuple(64, 64, 51), std::tuple(67, 130, 51)));

TEST(VHeadOracle, ItsGradientsAreTheSlopesOfItsLoss) {
  const VHeadCase c(4, 5, 7);
  const auto h = widened(c.h), w = widened(c.w), b = widened(c.b), target = widened(c.target);
  expect_head_slopes(h, w, b, 4, [&](const auto& logits) {
    return oracle::value_loss(logits, target, c.support);
  });
}

TEST(VHeadSchedules, KeepsItsBitsUnderEverySchedule) {
  const VHeadCase c(70, 9, 5);
  test::expect_schedule_invariant([&] { return bytes_of(c.run()); });
}

TEST(VHeadAlignment, DoesNotCareWhereBuffersBegin) {
  const VHeadCase c(9, 8, 12);
  expect_same_bits_wherever_buffers_begin([&] { return c.run(); });
}

TEST(VHeadEmptyBatch, HasZeroWeightGradients) {
  const Outputs got = VHeadCase(0, 5, 3).run();
  EXPECT_EQ(got.at("grad_w"), std::vector<float>(5, 0.0f));
  EXPECT_EQ(got.at("grad_b"), std::vector<float>(1, 0.0f));
}

}  // namespace
}  // namespace foxhunt::heads_test
