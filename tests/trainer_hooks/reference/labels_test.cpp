// SPDX-License-Identifier: MIT
#include "trainer_hooks/reference/labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/trainer_hooks/reference/random_market.h"
#include "trainer_hooks/reference/environment.h"

namespace foxhunt {
namespace {

using ::testing::ElementsAre;

// A market whose every index brings these returns, in percent.
Market market_of(const std::vector<double>& returns) {
  std::vector<double> prices(4, 1);
  for (const double r : returns) prices.insert(prices.end(), 4, prices.back() * std::exp(r / 100));
  return market_from_prices(prices);
}

TEST(ForwardReturnClasses, SplitTheDaysIntoThirdsByWhatFollows) {
  const ForwardReturns next(market_of({5, -3, 1, 9, -8, 2}), 0, 1);
  EXPECT_THAT(next.classes_of_equal_frequency(3), ElementsAre(2, 0, 1, 2, 0, 1, -1));
}

TEST(ForwardReturnClasses, AddUpTheWholeHorizon) {
  // Two days each: 2, -2, 10, 1, -6.
  const ForwardReturns two_days(market_of({5, -3, 1, 9, -8, 2}), 3, 2);
  EXPECT_THAT(two_days.classes_of_equal_frequency(5), ElementsAre(3, 1, 4, 2, 0, -1, -1));
}

TEST(ForwardReturnClasses, KeepEqualReturnsTogether) {
  const ForwardReturns next(market_of({1, 1, 1, 1, 1, 5}), 0, 1);
  EXPECT_THAT(next.classes_of_equal_frequency(2), ElementsAre(1, 1, 1, 1, 1, 1, -1));
  EXPECT_THAT(next.classes_of_equal_frequency(1), ElementsAre(0, 0, 0, 0, 0, 0, -1));
}

TEST(ForwardReturnClasses, AreOfEqualFrequencyAndInOrderOnRealPrices) {
  MarketOptions options;
  options.frd_bins = 7;
  options.horizon = 10;
  options.traded = 3;
  const MarketEnvironments envs(load_market(FOXHUNT_DATA), options, 1);
  const int labelled = 1860 - 10;
  std::vector<int> outcomes(3), bins(7);
  std::vector<double> lowest(7, 1e9), highest(7, -1e9);
  for (int day = 0; day < labelled; ++day) {
    ++outcomes.at(static_cast<std::size_t>(envs.outcome_label(day)));
    const auto bin = static_cast<std::size_t>(envs.frd_label(day));
    ++bins.at(bin);
    double forward = 0;
    for (int d = day + 1; d <= day + 10; ++d) forward += double{envs.market().log_return(d, 3)};
    lowest[bin] = std::min(lowest[bin], forward);
    highest[bin] = std::max(highest[bin], forward);
  }
  for (const int count : outcomes) EXPECT_NEAR(count, labelled / 3.0, 1);
  for (const int count : bins) EXPECT_NEAR(count, labelled / 7.0, 1);
  for (std::size_t bin = 1; bin < bins.size(); ++bin) EXPECT_LT(highest[bin - 1], lowest[bin]);
  for (const int day : {-1, labelled, 1859, 1860, 5000}) {
    EXPECT_EQ(envs.outcome_label(day), -1) << day;
    EXPECT_EQ(envs.frd_label(day), -1) << day;
  }
}

}  // namespace
}  // namespace foxhunt
