// SPDX-License-Identifier: MIT
// What an agent sees.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/test_seed.h"
#include "tests/trainer_hooks/reference/random_market.h"
#include "trainer_hooks/reference/environment.h"

namespace foxhunt {
namespace {

constexpr int kF = MarketEnvironments::features;

MarketOptions feature_options() {
  MarketOptions options;
  options.envs = 5;
  options.window = 7;
  options.episode_days = 20;
  options.traded = 2;
  return options;
}

std::vector<float> seen(const MarketEnvironments& envs) {
  const MarketOptions& o = envs.options();
  std::vector<float> windows(static_cast<std::size_t>(o.envs * o.window * kF), -99);
  envs.observe(windows.data());
  return windows;
}

// From the prices, by the book.
struct DirectFeatures {
  const std::vector<double>& prices;
  double r(int day, int index) const {
    const auto at = static_cast<std::size_t>(day * Market::kIndices + index);
    return std::log(prices[at] / prices[at - Market::kIndices]);
  }
  double rms(int day, int index, int days) const {
    double mean_square = 0;
    for (int back = 0; back < days; ++back) mean_square += std::pow(r(day - back, index), 2) / days;
    return std::sqrt(mean_square);
  }
  double momentum(int day, int index, int days) const {
    const auto at = static_cast<std::size_t>(day * Market::kIndices + index);
    const double change =
        std::log(prices[at] / prices[at - static_cast<std::size_t>(days * Market::kIndices)]);
    return change / (rms(day, index, 60) * std::sqrt(days));
  }
  double feature(int day, int f) const {
    if (f < 4) return r(day, f) / rms(day, f, 60);
    if (f == 4) return 100 * rms(day, 2, 20);
    return momentum(day, 2, f == 5 ? 20 : 60);
  }
};

TEST(MarketObservation, HoldsTheFeaturesOfTheLastDays) {
  const std::vector<double> prices = test::random_prices(150, 2);
  const MarketOptions options = feature_options();
  MarketEnvironments envs(market_from_prices(prices), options, test::test_seed());
  const DirectFeatures direct{prices};
  const std::vector<int> actions(5, 1);
  std::vector<float> reward(5), done(5);
  for (int step = 0; step < 40; ++step) {
    const std::vector<float> windows = seen(envs);
    const float* at = windows.data();
    for (int e = 0; e < options.envs; ++e) {
      for (int day = envs.day(e) - options.window + 1; day <= envs.day(e); ++day) {
        for (int f = 0; f < kF - 1; ++f, ++at) {
          // The returns are floats: half an ULP or so each, which sums of both signs enlarge.
          ASSERT_NEAR(double{*at}, direct.feature(day, f), 1e-5) << "day " << day << " f " << f;
        }
        ASSERT_EQ(*at++, 0);
      }
    }
    envs.step(actions.data(), reward.data(), done.data());
  }
}

TEST(MarketObservation, OfRealPricesIsOfRoughlyUnitScale) {
  MarketOptions options;
  options.envs = 64;
  const MarketEnvironments envs(load_market(FOXHUNT_DATA), options, 1);
  const std::vector<float> windows = seen(envs);
  std::vector<double> mean_square(kF);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    ASSERT_LT(std::abs(windows[i]), 10);
    mean_square[i % kF] += std::pow(double{windows[i]}, 2) * kF / double(windows.size());
  }
  for (int f = 0; f < kF - 1; ++f) {
    EXPECT_GT(mean_square[static_cast<std::size_t>(f)], 0.3) << f;
    EXPECT_LT(mean_square[static_cast<std::size_t>(f)], 4) << f;
  }
}

TEST(MarketObservation, NeverLooksAhead) {
  const std::vector<double> prices = test::random_prices(130, 3);
  const MarketOptions options = feature_options();
  const MarketEnvironments envs(market_from_prices(prices), options, test::test_seed());
  const std::vector<float> before = seen(envs);
  const std::size_t floats = before.size() / 5;
  bool any_changed = false;
  for (int e = 0; e < options.envs; ++e) {
    std::vector<double> other = test::random_prices(130, 4);
    const auto today = static_cast<std::size_t>(envs.day(e));
    std::copy_n(prices.begin(), (today + 1) * 4, other.begin());
    const MarketEnvironments changed(market_from_prices(other), options, test::test_seed());
    ASSERT_EQ(changed.day(e), envs.day(e));
    const std::vector<float> after = seen(changed);
    const auto mine = static_cast<std::ptrdiff_t>(floats) * e;
    for (std::size_t i = 0; i < floats; ++i) {
      const auto at = static_cast<std::size_t>(mine) + i;
      ASSERT_EQ(before[at], after[at]) << "env " << e << ", float " << i;
    }
    any_changed |= before != after;  // of the other envs, some are on later days
  }
  EXPECT_TRUE(any_changed);
}

TEST(MarketObservation, ShowsThePositionsAlreadyHeldAndNothingMore) {
  MarketOptions options = feature_options();
  options.envs = 1;
  options.window = 3;
  MarketEnvironments envs(market_from_prices(test::random_prices(150, 5)), options, 3);
  const auto held = [&] {
    const std::vector<float> windows = seen(envs);
    return std::vector<float>{windows[kF - 1], windows[2 * kF - 1], windows[3 * kF - 1]};
  };
  float reward = 0, done = 0;
  const auto act = [&](int action) { envs.step(&action, &reward, &done); };
  act(2);
  while (done == 0) act(2);  // then a whole episode of 20 lies ahead
  EXPECT_EQ(held(), (std::vector<float>{0, 0, 0}));
  act(2);
  EXPECT_EQ(held(), (std::vector<float>{0, 0, 1}));
  act(0);
  EXPECT_EQ(held(), (std::vector<float>{0, 1, -1}));
  act(1);
  EXPECT_EQ(held(), (std::vector<float>{1, -1, 0}));
  act(2);
  EXPECT_EQ(held(), (std::vector<float>{-1, 0, 1}));
}

TEST(MarketObservation, StaysFiniteWherePricesStandStill) {
  const MarketOptions options = feature_options();
  const MarketEnvironments envs(market_from_prices(std::vector<double>(4 * 150, 7)), options, 1);
  for (const float value : seen(envs)) {
    ASSERT_TRUE(value == 0 || value == 0.01f) << value;
  }
}

}  // namespace
}  // namespace foxhunt
