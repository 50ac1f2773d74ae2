// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "kernels/heads/cross_entropy_oracle.h"
#include "tests/kernels/heads/expectations.h"
#include "tests/kernels/heads/label_head_case.h"
#include "tests/kernels/support/schedules.h"

namespace foxhunt::heads_test {
namespace {

using oracle::exactly;
using C = Conditioned;

class LabelHeads : public testing::TestWithParam<std::tuple<int, int, int>> {};

TEST_P(LabelHeads, AgreeWithTheOracle) {
  const auto [batch, hidden, classes] = GetParam();
  const LabelHeadCase c(batch, hidden, classes);
  for (const LabelHead& head : {kFrdHead, kOutcomeHead}) {
    const Outputs got = c.run(head);
    const auto rows = count(batch);
    const auto h = exactly<C>(c.h), w = exactly<C>(c.w);
    expect_close("label_head logits", got.at("logits"),
                 oracle::linear(h, w, exactly<C>(c.b), rows));
    const auto loss = oracle::cross_entropy(exactly<C>(got.at("logits")), c.labels);
    expect_close("label_head loss", got.at("loss"), loss.loss);
    expect_close("label_head grad_logits", got.at("grad_logits"), loss.grad_logits);
    const auto grad =
        oracle::linear_backward(h, w, exactly<C>(got.at("grad_logits")), rows, count(classes));
    expect_close("label_head grad_h", got.at("grad_h"), grad.x);
    expect_close("label_head grad_w", got.at("grad_w"), grad.w);
    expect_close("label_head grad_b", got.at("grad_b"), grad.b);
    expect_close("label_head mean_loss", got.at("mean_loss"),
                 {oracle::mean(exactly<C>(got.at("loss")))});
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, LabelHeads,
                         testing::Values(std::tuple(1, 1, 1), std::tuple(5, 7, 3),
                                         std::tuple(64, 64, 21), std::tuple(3, 130, 4)));

TEST(LabelHead, ARowWithoutALabelHasNoLossAndNoGradient) {
  LabelHeadCase c(2, 4, 3);
  c.labels = {-1, 3};
  const Outputs got = c.run(kOutcomeHead);
  EXPECT_EQ(got.at("loss"), std::vector<float>(2, 0.0f));
  EXPECT_EQ(got.at("grad_logits"), std::vector<float>(6, 0.0f));
}

TEST(LabelHead, LogitsFarFromZeroDoNotOverflow) {
  LabelHeadCase c(2, 1, 3);
  c.w.assign(3, 0.0f);
  c.b = {-300.0f, 300.0f, 299.0f};
  c.labels = {1, 0};
  const Outputs got = c.run(kOutcomeHead);
  EXPECT_NEAR(got.at("loss")[0], std::log1p(std::exp(-1.0)), 1e-6);
  EXPECT_NEAR(got.at("loss")[1], 600 + std::log1p(std::exp(-1.0)), 1e-4);
}

TEST(LabelHead, AnEmptyBatchHasNoLossAndZeroWeightGradients) {
  const LabelHeadCase c(0, 5, 3);
  const Outputs got = c.run(kFrdHead);
  EXPECT_EQ(got.at("grad_w"), std::vector<float>(15, 0.0f));
  EXPECT_EQ(got.at("grad_b"), std::vector<float>(3, 0.0f));
  EXPECT_EQ(got.at("mean_loss"), std::vector<float>(1, 0.0f));
}

TEST(LabelHead, TheOraclesGradientsAreTheSlopesOfItsLoss) {
  const LabelHeadCase c(4, 5, 3);
  const auto h = widened(c.h), w = widened(c.w), b = widened(c.b);
  expect_head_slopes(h, w, b, 4,
                     [&](const auto& logits) { return oracle::cross_entropy(logits, c.labels); });
}

TEST(LabelHead, KeepsItsBitsUnderEverySchedule) {
  const LabelHeadCase c(9, 70, 5);
  test::expect_schedule_invariant([&] { return bytes_of(c.run(kFrdHead)); });
  test::expect_schedule_invariant([&] { return bytes_of(c.run(kOutcomeHead)); });
}

TEST(LabelHead, DoesNotCareWhereBuffersBegin) {
  const LabelHeadCase c(9, 8, 12);
  expect_same_bits_wherever_buffers_begin([&] { return c.run(kFrdHead); });
}

}  // namespace
}  // namespace foxhunt::heads_test
