// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "dump/format/error.h"
#include "tests/trainer_hooks/reference/random_market.h"
#include "trainer_hooks/reference/environment.h"

namespace foxhunt {
namespace {

// What a market of this many days says to these options.
std::string refusal(const MarketOptions& options, int days = 250) {
  try {
    const MarketEnvironments envs(market_from_prices(test::random_prices(days, 10)), options, 1);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_argument);
    return error.what();
  }
  return "accepted";
}

template <class T>
std::string refusal(T MarketOptions::*member, T value) {
  MarketOptions options;
  options.*member = value;
  return refusal(options);
}

TEST(MarketOptionsOutOfRange, AreNamed) {
  const std::string start = "market environments: ";
  EXPECT_EQ(refusal(MarketOptions{}), "accepted");
  using O = MarketOptions;
  EXPECT_EQ(refusal(&O::envs, 0), start + "envs is 0, but must be 1 or more");
  EXPECT_EQ(refusal(&O::window, 0), start + "window is 0, but must be 1 or more");
  EXPECT_EQ(refusal(&O::episode_days, -1), start + "episode_days is -1, but must be 1 or more");
  EXPECT_EQ(refusal(&O::horizon, 0), start + "horizon is 0, but must be 1 or more");
  EXPECT_EQ(refusal(&O::frd_bins, 0), start + "frd_bins is 0, but must be 1 or more");
  EXPECT_EQ(refusal(&O::outcome_classes, 0), start + "outcome_classes is 0, but must be 1 or more");
  EXPECT_EQ(refusal(&O::traded, -1), start + "traded is -1, but must be 0 or more");
  EXPECT_EQ(refusal(&O::traded, 4), start + "traded is 4, but there are 4 indices");
  for (const float cost : {-0.5f, 1.0f, std::nanf("")}) {
    EXPECT_EQ(refusal(&O::trading_cost, cost),
              start + fmt::format("trading_cost is {}, but must be in [0, 1)", cost));
  }
  for (const float scale : {0.0f, std::numeric_limits<float>::infinity(), std::nanf("")}) {
    EXPECT_EQ(refusal(&O::reward_scale, scale),
              start + fmt::format("reward_scale is {}, but must be positive and finite", scale));
  }
}

TEST(MarketOptionsOutOfRange, AreThoseThatNeedMoreDaysThanThereAre) {
  MarketOptions options;  // 60 + 16 + 128 = 204
  EXPECT_EQ(refusal(options, 204), "accepted");
  EXPECT_EQ(refusal(options, 203),
            "market environments: 203 days of prices are too few: an episode of 128 days behind a "
            "window of 16 and 60 of history needs 204, and labels over a horizon of 5 need 10; "
            "choose shorter ones or longer data");
  options.horizon = 199;  // and 5 bins
  EXPECT_EQ(refusal(options, 204), "accepted");
  options.horizon = 200;
  EXPECT_NE(refusal(options, 204), "accepted");
  options.horizon = std::numeric_limits<int>::max();
  EXPECT_NE(refusal(options, 204), "accepted");
}

}  // namespace
}  // namespace foxhunt
