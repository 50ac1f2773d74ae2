// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <numeric>
#include <tuple>

#include "kernels/heads/dqn_grad_oracle.h"
#include "tests/kernels/heads/dqn_case.h"
#include "tests/kernels/heads/expectations.h"
#include "tests/kernels/support/schedules.h"

namespace foxhunt::heads_test {
namespace {

using oracle::exactly;
using C = Conditioned;

template <class Real>
oracle::NoisyLinear<Real> layer_of(const DqnCase& c) {
  return {exactly<Real>(c.w_mu), exactly<Real>(c.w_sigma), exactly<Real>(c.b_mu),
          exactly<Real>(c.b_sigma)};
}

class Dqn : public testing::TestWithParam<std::tuple<int, int, int, int, int>> {
 protected:
  static DqnCase parameters() {
    const auto [batch, hidden, width, actions, atoms] = GetParam();
    return {batch, hidden, width, actions, atoms};
  }
};

TEST_P(Dqn, ForwardAgreesWithTheOracle) {
  const DqnCase c = parameters();
  expect_close(
      "dqn_head q_logits", c.forward().at("q_logits"),
      oracle::linear(exactly<C>(c.noisy_hidden), exactly<C>(c.w), exactly<C>(c.b), count(c.batch)));
}

TEST_P(Dqn, BackwardAgreesWithTheOracle) {
  const DqnCase c = parameters();
  const auto q_logits = c.forward().at("q_logits");
  const Outputs got = c.backward(q_logits);
  const auto q = exactly<C>(q_logits);
  const auto loss =
      oracle::dqn_loss(q, exactly<C>(c.target), exactly<C>(c.is_weight), c.taken, count(c.actions));
  expect_close("dqn_grad loss", got.at("loss"), loss.loss);

  // From here on the kernel's own grad_q_taken counts as exact, at the action taken of each row.
  const std::size_t atoms = count(c.atoms), actions = count(c.actions);
  std::vector<C> taken, grad_q(q.size());
  for (std::size_t b = 0; b < count(c.batch); ++b) {
    for (std::size_t z = 0; z < atoms; ++z) {
      const std::size_t at = (b * actions + static_cast<std::size_t>(c.taken[b])) * atoms + z;
      taken.push_back(loss.grad_q[at]);
      grad_q[at] = C(double{got.at("grad_q_taken")[b * atoms + z]});
    }
  }
  expect_close("dqn_grad grad_q_taken", got.at("grad_q_taken"), taken);
  const auto head = oracle::linear_backward(exactly<C>(c.noisy_hidden), exactly<C>(c.w), grad_q,
                                            count(c.batch), actions * atoms);
  expect_close("dqn_grad grad_noisy_hidden", got.at("grad_noisy_hidden"), head.x);
  expect_close("dqn_grad grad_w", got.at("grad_w"), head.w);
  expect_close("dqn_grad grad_b", got.at("grad_b"), head.b);

  const auto noisy =
      oracle::noisy_linear_backward(exactly<C>(c.h), layer_of<C>(c), exactly<C>(c.eps),
                                    exactly<C>(got.at("grad_noisy_hidden")), count(c.batch));
  std::vector<C> grad_h = noisy.x;
  for (std::size_t i = 0; i < grad_h.size(); ++i) grad_h[i] += C(double{c.iqn_grad[i]});
  expect_close("dqn_grad grad_h", got.at("grad_h"), grad_h);
  expect_close("dqn_grad grad_w_mu", got.at("grad_w_mu"), noisy.layer.w_mu);
  expect_close("dqn_grad grad_w_sigma", got.at("grad_w_sigma"), noisy.layer.w_sigma);
  expect_close("dqn_grad grad_b_mu", got.at("grad_b_mu"), noisy.layer.b_mu);
  expect_close("dqn_grad grad_b_sigma", got.at("grad_b_sigma"), noisy.layer.b_sigma);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Dqn,
                         testing::Values(std::tuple(1, 1, 1, 1, 2), std::tuple(5, 7, 6, 3, 5),
                                         std::tuple(64, 32, 64, 4, 51),
                                         std::tuple(3, 13, 130, 2, 11)));

TEST(DqnGrad, AnActionThatNobodyTookHasNoGradient) {
  DqnCase c(4, 3, 3, 3, 5);
  c.taken = {0, 2, 2, 0};
  const Outputs got = c.backward(c.forward().at("q_logits"));
  for (std::size_t z = 0; z < 5; ++z) EXPECT_EQ(got.at("grad_b")[5 + z], 0.0f);
  for (std::size_t z = 0; z < 5; ++z) EXPECT_NE(got.at("grad_b")[z], 0.0f);
}

TEST(DqnGrad, AnEmptyBatchHasZeroWeightGradients) {
  const DqnCase c(0, 3, 3, 2, 5);
  const Outputs got = c.backward({});
  EXPECT_EQ(got.at("grad_w"), std::vector<float>(30, 0.0f));
  EXPECT_EQ(got.at("grad_w_sigma"), std::vector<float>(9, 0.0f));
}

TEST(DqnGradOracle, ItsGradientsAreTheSlopesOfItsLoss) {
  const DqnCase c(4, 3, 5, 2, 6);
  struct Parameters {
    std::vector<double> h, w, b;
    oracle::NoisyLinear<double> layer;
  };
  const Parameters at{widened(c.h), widened(c.w), widened(c.b), layer_of<double>(c)};
  const auto eps = widened(c.eps), weight = widened(c.is_weight);
  // The gradient is the slope only where rows sum to 1, and in double they do not quite.
  auto target = widened(c.target);
  for (std::size_t b = 0; b < 4; ++b) {
    const double sum = std::accumulate(&target[b * 6], &target[b * 6] + 6, 0.0);
    for (std::size_t z = 0; z < 6; ++z) target[b * 6 + z] /= sum;
  }
  const auto logits = [&](const Parameters& p) {
    return oracle::linear(oracle::noisy_linear(p.h, p.layer, eps, 4), p.w, p.b, 4);
  };
  const auto loss = [&](const Parameters& p) {
    return oracle::mean(oracle::dqn_loss(logits(p), target, weight, c.taken, 2).loss);
  };
  const auto grad =
      oracle::dqn_grad(at.h, at.layer, eps, oracle::noisy_linear(at.h, at.layer, eps, 4), at.w,
                       logits(at), target, weight, c.taken, 2);
  const auto check = [&](const char* name, auto select, const std::vector<double>& gradient) {
    expect_slopes(
        name,
        [&](const std::vector<double>& values) {
          Parameters changed = at;
          select(changed) = values;
          return loss(changed);
        },
        [&] {
          Parameters copy = at;
          return select(copy);
        }(),
        gradient);
  };
  check(
      "h", [](Parameters & p) -> auto& { return p.h; }, grad.noisy.x);
  check(
      "w", [](Parameters & p) -> auto& { return p.w; }, grad.w);
  check(
      "b", [](Parameters & p) -> auto& { return p.b; }, grad.b);
  check(
      "w_mu", [](Parameters & p) -> auto& { return p.layer.w_mu; }, grad.noisy.layer.w_mu);
  check(
      "w_sigma", [](Parameters & p) -> auto& { return p.layer.w_sigma; }, grad.noisy.layer.w_sigma);
  check(
      "b_mu", [](Parameters & p) -> auto& { return p.layer.b_mu; }, grad.noisy.layer.b_mu);
  check(
      "b_sigma", [](Parameters & p) -> auto& { return p.layer.b_sigma; }, grad.noisy.layer.b_sigma);
}

TEST(DqnHead, KeepsItsBitsUnderEverySchedule) {
  const DqnCase c(24, 1, 40, 3, 11);
  test::expect_schedule_invariant([&] { return bytes_of(c.forward()); });
}

TEST(DqnHead, ASplitInnerDimensionShows) {
  const DqnCase c(3, 1, 700, 2, 5);
  test::expect_schedule_dependent("dqn_head_fwd=split_k_atomic", [&] {
    return bytes_of(c.forward(DqnHeadVariant::split_k_atomic));
  });
}

TEST(DqnGrad, KeepsItsBitsUnderEverySchedule) {
  const DqnCase c(24, 12, 16, 3, 11);
  const auto q_logits = c.forward().at("q_logits");
  test::expect_schedule_invariant([&] { return bytes_of(c.backward(q_logits)); });
}

TEST(DqnGrad, RacingAccumulationShows) {
  const DqnCase c(24, 12, 16, 3, 11);
  const auto q_logits = c.forward().at("q_logits");
  test::expect_schedule_dependent("dqn_grad_w_b_h_t=accumulate_racing", [&] {
    return bytes_of(c.backward(q_logits, DqnGradVariant::accumulate_racing));
  });
}

TEST(DqnHead, DoesNotCareWhereBuffersBegin) {
  const DqnCase c(9, 8, 12, 4, 8);
  expect_same_bits_wherever_buffers_begin([&] { return c.forward(); });
}

TEST(DqnGrad, DoesNotCareWhereBuffersBegin) {
  const DqnCase c(9, 8, 12, 4, 8);
  const auto q_logits = c.forward().at("q_logits");
  expect_same_bits_wherever_buffers_begin([&] { return c.backward(q_logits); });
}

}  // namespace
}  // namespace foxhunt::heads_test
