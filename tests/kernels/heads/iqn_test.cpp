// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "kernels/heads/iqn_grad_oracle.h"
#include "tests/kernels/heads/expectations.h"
#include "tests/kernels/heads/iqn_case.h"
#include "tests/kernels/support/schedules.h"

namespace foxhunt::heads_test {
namespace {

using oracle::exactly;
using C = Conditioned;

template <class Real>
oracle::IqnWeights<Real> weights_of(const IqnCase& c) {
  return {exactly<Real>(c.tau_w), exactly<Real>(c.tau_b), exactly<Real>(c.w), exactly<Real>(c.b)};
}

class Iqn : public testing::TestWithParam<IqnShape> {};

TEST_P(Iqn, ForwardAgreesWithTheOracle) {
  const IqnCase c(GetParam());
  const Outputs got = c.run();
  const auto want =
      oracle::iqn_forward(exactly<C>(c.h), exactly<C>(got.at("taus")), weights_of<C>(c), c.shape);
  expect_close("iqn cosines", got.at("cosines"), want.cosines);
  expect_close("iqn embedding", got.at("embedding"), want.embedding);
  expect_close("iqn quantile_values", got.at("quantile_values"), want.quantile_values);
  expect_close("iqn q_values", got.at("q_values"), want.q_values);
}

TEST_P(Iqn, BackwardAgreesWithTheOracle) {
  const IqnCase c(GetParam());
  const Outputs got = c.run();
  // What the forward left counts as exact.
  const oracle::IqnForward<C> forward{exactly<C>(got.at("cosines")),
                                      exactly<C>(got.at("embedding")),
                                      exactly<C>(got.at("quantile_values")),
                                      {}};
  const auto want =
      oracle::iqn_grad(exactly<C>(c.h), exactly<C>(got.at("taus")), weights_of<C>(c), forward,
                       exactly<C>(c.target), c.taken, c.shape, c.support, double{c.kappa});
  expect_close("iqn_grad loss", got.at("loss"), want.loss);
  expect_close("iqn_grad quantile", got.at("grad_quantile"), want.quantile);
  expect_close("iqn_grad hadamard", got.at("grad_hadamard"), want.h);
  expect_close("iqn_grad w", got.at("grad_w"), want.weights.w);
  expect_close("iqn_grad b", got.at("grad_b"), want.weights.b);
  expect_close("iqn_grad tau_w", got.at("grad_tau_w"), want.weights.tau_w);
  expect_close("iqn_grad tau_b", got.at("grad_tau_b"), want.weights.tau_b);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Iqn,
                         testing::Values(IqnShape{1, 1, 1, 1, 1}, IqnShape{3, 7, 3, 5, 6},
                                         IqnShape{8, 64, 4, 32, 32}, IqnShape{2, 13, 2, 70, 9}));

TEST(IqnTaus, AreThePhiloxDrawsOfTheirPlaces) {
  const IqnCase c({2, 3, 2, 4, 5});
  const Outputs got = c.run();
  for (std::size_t i = 0; i < 8; ++i) {
    const auto draw = math::philox(c.rng[0], math::RngPurpose::iqn_tau, c.rng[1], i);
    EXPECT_EQ(got.at("taus")[i], math::uniform(draw.x)) << i;
  }
}

TEST(IqnOracle, ItsGradientsAreTheSlopesOfItsLoss) {
  // A small step must cross no kink: no ReLU, no quantile at an atom, none kappa away from one.
  const IqnCase c({3, 4, 2, 5, 6}, 7);
  const auto taus = widened(RandomInputs(110).uniform(15, 0.05f, 0.95f));
  const auto target = widened(c.target);
  struct Parameters {
    std::vector<double> h;
    oracle::IqnWeights<double> weights;
  };
  const Parameters at{widened(c.h), weights_of<double>(c)};
  const auto gradients = [&](const Parameters& p) {
    const auto forward = oracle::iqn_forward(p.h, taus, p.weights, c.shape);
    return oracle::iqn_grad(p.h, taus, p.weights, forward, target, c.taken, c.shape, c.support,
                            double{c.kappa});
  };
  const auto grad = gradients(at);
  const auto check = [&](const char* name, auto select, const std::vector<double>& gradient) {
    Parameters changed = at;
    const std::vector<double> here = select(changed);
    expect_slopes(
        name,
        [&](const std::vector<double>& values) {
          select(changed) = values;
          return oracle::mean(gradients(changed).loss);
        },
        here, gradient);
  };
  check(
      "h", [](Parameters & p) -> auto& { return p.h; }, grad.h);
  check(
      "tau_w", [](Parameters & p) -> auto& { return p.weights.tau_w; }, grad.weights.tau_w);
  check(
      "tau_b", [](Parameters & p) -> auto& { return p.weights.tau_b; }, grad.weights.tau_b);
  check(
      "w", [](Parameters & p) -> auto& { return p.weights.w; }, grad.weights.w);
  check(
      "b", [](Parameters & p) -> auto& { return p.weights.b; }, grad.weights.b);
}

TEST(IqnSchedules, KeepsItsBitsUnderEverySchedule) {
  const IqnCase c({3, 66, 3, 40, 8});
  test::expect_schedule_invariant([&] { return bytes_of(c.run()); });
}

TEST(IqnVariants, TausInArrivalOrderShow) {
  const IqnCase c({3, 9, 3, 40, 8});
  test::expect_schedule_dependent("rl_iqn_forward=tau_arrival_order", [&] {
    return bytes_of({{"q", c.run(IqnVariant::tau_arrival_order).at("q_values")}});
  });
}

TEST(IqnVariants, AMissingBarrierShows) {
  const IqnCase c({3, 66, 3, 40, 8});
  test::expect_schedule_dependent("iqn_bwd_relu_hadamard=missing_barrier", [&] {
    const Outputs got = c.run(IqnVariant::deterministic, IqnGradVariant::missing_barrier);
    return bytes_of({{"grad", got.at("grad_hadamard")}});
  });
}

TEST(IqnAlignment, DoesNotCareWhereBuffersBegin) {
  const IqnCase c({3, 8, 4, 12, 8});
  expect_same_bits_wherever_buffers_begin([&] { return c.run(); });
}

TEST(IqnEmptyBatch, HasZeroWeightGradients) {
  const Outputs got = IqnCase({0, 5, 3, 4, 6}).run();
  EXPECT_EQ(got.at("grad_w"), std::vector<float>(15, 0.0f));
  EXPECT_EQ(got.at("grad_b"), std::vector<float>(3, 0.0f));
  EXPECT_EQ(got.at("grad_tau_w"), std::vector<float>(30, 0.0f));
  EXPECT_EQ(got.at("grad_tau_b"), std::vector<float>(5, 0.0f));
}

}  // namespace
}  // namespace foxhunt::heads_test
