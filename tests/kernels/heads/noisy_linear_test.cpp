// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <tuple>

#include "kernels/heads/noisy_linear_oracle.h"
#include "tests/kernels/heads/expectations.h"
#include "tests/kernels/heads/noisy_linear_case.h"
#include "tests/kernels/support/schedules.h"

namespace foxhunt::heads_test {
namespace {

using oracle::exactly;
using C = Conditioned;

class NoisyLinearSizes : public testing::TestWithParam<std::tuple<int, int, int>> {};

TEST_P(NoisyLinearSizes, AgreeWithTheOracle) {
  const auto [batch, in, out] = GetParam();
  const NoisyLinearCase c(batch, in, out);
  const Outputs got = c.run();
  const auto eps = exactly<C>(got.at("eps"));
  const oracle::NoisyLinear<C> layer{exactly<C>(c.w_mu), exactly<C>(c.w_sigma), exactly<C>(c.b_mu),
                                     exactly<C>(c.b_sigma)};
  expect_close("noisy_linear y", got.at("y"),
               oracle::noisy_linear(exactly<C>(c.x), layer, eps, count(batch)));
  expect_close(
      "noisy_linear eps", got.at("eps"),
      oracle::reset_noise<C>(c.rng[0], c.rng[1], math::RngPurpose::noisy_linear, count(in + out)));
}

INSTANTIATE_TEST_SUITE_P(Sizes, NoisyLinearSizes,
                         testing::Values(std::tuple(1, 1, 1), std::tuple(5, 7, 6),
                                         std::tuple(64, 64, 64), std::tuple(3, 130, 9)));

TEST(ResetNoise, IsTheSignedRootOfAStandardNormal) {
  NoisyLinearCase c(1, 40000, 2);
  c.w_mu.assign(80000, 0);
  c.w_sigma = c.w_mu;
  const Outputs got = c.run();
  double mean = 0, second = 0, fourth = 0;
  for (const float v : got.at("eps")) {
    const double e = v, n = static_cast<double>(got.at("eps").size());
    mean += e / n;
    second += e * e / n;
    fourth += e * e * e * e / n;
  }
  // E sign(x) sqrt|x| = 0, E|x| = sqrt(2 / pi), E x^2 = 1; five standard deviations each.
  EXPECT_NEAR(mean, 0, 5 * 0.9 / 200);
  EXPECT_NEAR(second, std::sqrt(2 / std::numbers::pi), 5 * 0.61 / 200);
  EXPECT_NEAR(fourth, 1, 5 * 1.42 / 200);
}

TEST(ResetNoise, AnotherStepDrawsOtherNoise) {
  NoisyLinearCase c(1, 5, 6);
  const Outputs before = c.run();
  EXPECT_EQ(c.run(), before);
  ++c.rng[1];
  EXPECT_NE(c.run().at("eps"), before.at("eps"));
}

TEST(NoisyLinearOracle, ItsGradientsAreTheSlopesOfItsOutput) {
  const NoisyLinearCase c(3, 4, 5);
  RandomInputs random(106);
  const auto eps = widened(random.normal(9)), weight = widened(random.normal(15));
  const auto x = widened(c.x);
  const oracle::NoisyLinear<double> layer{widened(c.w_mu), widened(c.w_sigma), widened(c.b_mu),
                                          widened(c.b_sigma)};
  // Any weighted sum of y will do as a loss.
  const auto loss = [&](const std::vector<double>& x_, const oracle::NoisyLinear<double>& l) {
    double sum = 0;
    const auto y = oracle::noisy_linear(x_, l, eps, 3);
    for (std::size_t i = 0; i < y.size(); ++i) sum += weight[i] * y[i];
    return sum;
  };
  const auto grad = oracle::noisy_linear_backward(x, layer, eps, weight, 3);
  expect_slopes(
      "x", [&](const auto& p) { return loss(p, layer); }, x, grad.x);
  const auto with = [&](std::vector<double> oracle::NoisyLinear<double>::*member) {
    expect_slopes(
        "parameter",
        [&](const std::vector<double>& p) {
          auto changed = layer;
          changed.*member = p;
          return loss(x, changed);
        },
        layer.*member, grad.layer.*member);
  };
  with(&oracle::NoisyLinear<double>::w_mu);
  with(&oracle::NoisyLinear<double>::w_sigma);
  with(&oracle::NoisyLinear<double>::b_mu);
  with(&oracle::NoisyLinear<double>::b_sigma);
}

TEST(NoisyLinearSchedules, KeepsItsBitsUnderEverySchedule) {
  const NoisyLinearCase c(9, 30, 34);
  test::expect_schedule_invariant([&] { return bytes_of(c.run()); });
}

TEST(NoisyLinearVariants, AnOverlappingResampleShows) {
  const NoisyLinearCase c(9, 30, 34);
  test::expect_schedule_dependent("rl_noisy_linear_forward=resample_overlap", [&] {
    return bytes_of(c.run(NoisyLinearVariant::resample_overlap));
  });
}

TEST(NoisyLinearAlignment, DoesNotCareWhereBuffersBegin) {
  const NoisyLinearCase c(9, 12, 8);
  expect_same_bits_wherever_buffers_begin([&] { return c.run(); });
}

}  // namespace
}  // namespace foxhunt::heads_test
