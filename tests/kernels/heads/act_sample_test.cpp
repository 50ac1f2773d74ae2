// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/heads/linear_head_oracle.h"
#include "kernels/math/philox.h"
#include "tests/kernels/heads/act_sample_case.h"
#include "tests/kernels/heads/expectations.h"
#include "tests/kernels/support/schedules.h"

namespace foxhunt::heads_test {
namespace {

TEST(ActSample, InvertsTheDistributionAtItsDraw) {
  const ActSampleCase c(1000, 5);
  const Outputs got = c.run();
  std::vector<Conditioned> log_pi;
  for (std::size_t e = 0; e < 1000; ++e) {
    const auto logits = oracle::exactly<Conditioned>(c.logits);
    const auto p = oracle::softmax(&logits[e * 5], 5);
    const auto action = static_cast<std::size_t>(got.at("action")[e]);
    ASSERT_LT(action, 5u);
    const double u = double{
        math::uniform(math::philox(c.rng[0], math::RngPurpose::action_sample, c.rng[1], e).x)};
    double below = 0;
    for (std::size_t a = 0; a < action; ++a) below += p[a].value;
    // The draw lies within the action's part of (0, 1), but for the rounding of the running sum.
    EXPECT_GE(u, below - 8 * 0x1p-24);
    EXPECT_LE(u, below + p[action].value + 8 * 0x1p-24);
    log_pi.push_back(oracle::log_softmax(&logits[e * 5], 5)[action]);
  }
  expect_close("act_sample log_pi", got.at("log_pi"), log_pi);
}

TEST(ActSample, DrawsEachActionAsOftenAsItsProbability) {
  ActSampleCase c(20000, 3);
  const double p[3] = {0.7, 0.25, 0.05};
  for (std::size_t i = 0; i < c.logits.size(); ++i) {
    c.logits[i] = static_cast<float>(std::log(p[i % 3]));
  }
  double drawn[3] = {};
  const Outputs got = c.run();
  for (const float a : got.at("action")) ++drawn[static_cast<int>(a)];
  for (int a = 0; a < 3; ++a) {
    // Five standard deviations of a binomial count.
    EXPECT_NEAR(drawn[a] / 20000, p[a], 5 * std::sqrt(p[a] * (1 - p[a]) / 20000)) << a;
  }
}

TEST(ActSample, AnotherStepDrawsOtherActions) {
  ActSampleCase c(200, 4);
  const Outputs before = c.run();
  EXPECT_EQ(c.run(), before);
  ++c.rng[1];
  EXPECT_NE(c.run(), before);
}

TEST(ActSample, OneActionIsCertain) {
  const Outputs got = ActSampleCase(3, 1).run();
  EXPECT_EQ(got.at("action"), std::vector<float>(3, 0.0f));
  EXPECT_EQ(got.at("log_pi"), std::vector<float>(3, 0.0f));
}

TEST(ActSample, KeepsItsBitsUnderEverySchedule) {
  const ActSampleCase c(130, 4);
  test::expect_schedule_invariant([&] { return bytes_of(c.run()); });
}

}  // namespace
}  // namespace foxhunt::heads_test
