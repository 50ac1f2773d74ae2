// SPDX-License-Identifier: MIT
// What an agent is paid, and how episodes go.
#include <gtest/gtest.h>

#include <set>
#include <span>
#include <string>
#include <vector>

#include "dump/format/digest.h"
#include "dump/format/error.h"
#include "tests/support/test_seed.h"
#include "tests/trainer_hooks/reference/random_market.h"
#include "trainer_hooks/reference/environment.h"

namespace foxhunt {
namespace {

class MarketSteps : public testing::Test {
 protected:
  static MarketOptions options(int envs, int episode_days) {
    MarketOptions o;
    o.envs = envs;
    o.window = 4;
    o.episode_days = episode_days;
    return o;
  }
  // All envs do the same.
  void act(MarketEnvironments& envs, int action) {
    const auto n = static_cast<std::size_t>(envs.envs());
    reward_.assign(n, -99);
    done_.assign(n, -99);
    envs.step(std::vector<int>(n, action).data(), reward_.data(), done_.data());
  }
  void finish_first_episode(MarketEnvironments& envs) {
    do act(envs, 1);
    while (done_[0] == 0);
  }

  std::vector<float> reward_, done_;
};

TEST_F(MarketSteps, PayThePositionTimesTheNextReturnLessTheCostOfTrading) {
  // From day to day the traded index doubles, halves, doubles, ...; the others stand still.
  std::vector<double> prices(4 * 70, 1);
  for (std::size_t day = 1; day < 70; day += 2) prices[4 * day + 1] = 2;
  MarketOptions o = options(1, 5);
  o.traded = 1;
  o.trading_cost = 0.125f;
  o.reward_scale = 4;
  MarketEnvironments envs(market_from_prices(prices), o, 8);
  finish_first_episode(envs);
  constexpr float kLn2 = 0.693147182f;
  const float up = envs.day(0) % 2 == 0 ? kLn2 : -kLn2;  // what the next day brings
  act(envs, 2);
  EXPECT_FLOAT_EQ(reward_[0], 4 * (up - 0.125f));  // bought
  act(envs, 2);
  EXPECT_FLOAT_EQ(reward_[0], 4 * -up);  // held
  act(envs, 0);
  EXPECT_FLOAT_EQ(reward_[0], 4 * (-up - 0.25f));  // sold twice: what it held, and short
  act(envs, 1);
  EXPECT_FLOAT_EQ(reward_[0], 4 * -0.125f);  // bought back
  EXPECT_EQ(done_[0], 0);
  act(envs, 1);
  EXPECT_EQ(reward_[0], 0);
  EXPECT_EQ(done_[0], 1);
}

TEST_F(MarketSteps, DoNotChargeForThePositionThatAnEpisodeEndedWith) {
  const std::vector<double> prices(4 * 70, 5);
  MarketEnvironments envs(market_from_prices(prices), options(1, 3), 8);
  finish_first_episode(envs);
  act(envs, 2);
  act(envs, 2);
  act(envs, 2);
  ASSERT_EQ(done_[0], 1);
  act(envs, 1);  // flat, as the new episode begins
  EXPECT_EQ(reward_[0], 0);
}

TEST_F(MarketSteps, GoDayByDayAndEpisodesAreAsLongAsToldButTheFirst) {
  constexpr int kEnvs = 50, kDays = 10;
  MarketEnvironments envs(market_from_prices(test::random_prices(120, 6)), options(kEnvs, kDays),
                          test::test_seed());
  std::vector<int> length(kEnvs);
  std::vector<int> episodes(kEnvs);
  std::set<int> first_lengths, starts;
  for (int step = 0; step < 60; ++step) {
    std::vector<int> day;
    for (int e = 0; e < kEnvs; ++e) day.push_back(envs.day(e));
    act(envs, 1);
    for (std::size_t e = 0; e < kEnvs; ++e) {
      ++length[e];
      if (done_[e] == 0) {
        ASSERT_EQ(envs.day(static_cast<int>(e)), day[e] + 1);
        continue;
      }
      ASSERT_EQ(done_[e], 1);
      if (episodes[e]++ == 0) {
        first_lengths.insert(length[e]);
      } else {
        ASSERT_EQ(length[e], kDays);
      }
      length[e] = 0;
      starts.insert(envs.day(static_cast<int>(e)));
    }
  }
  EXPECT_EQ(*first_lengths.begin(), 1);
  EXPECT_EQ(*first_lengths.rbegin(), kDays);
  // The first day with its history, and the last with an episode before it.
  EXPECT_EQ(*starts.begin(), 63);
  EXPECT_EQ(*starts.rbegin(), 119 - kDays);
  EXPECT_EQ(starts.size(), 119u - kDays - 63 + 1);
}

TEST_F(MarketSteps, FollowFromTheSeed) {
  const Market market = market_from_prices(test::random_prices(300, 7));
  const auto after = [&](std::uint64_t seed, int steps) {
    MarketEnvironments envs(market, options(3, 10), seed);
    for (int i = 0; i < steps; ++i) act(envs, i % 3);
    return envs.state_bytes();
  };
  for (const int steps : {0, 1, 25}) {
    EXPECT_EQ(after(5, steps), after(5, steps));
    EXPECT_NE(after(5, steps), after(6, steps));
  }
}

TEST_F(MarketSteps, EveryPartOfTheStateIsInItsBytes) {
  const Market market = market_from_prices(test::random_prices(300, 8));
  MarketEnvironments envs(market, options(2, 10), 5);
  const auto word = [&](std::size_t env, std::size_t i) {
    const std::vector<std::byte> bytes = envs.state_bytes();
    EXPECT_EQ(bytes.size(), 2 * 32u);
    const std::byte* at = &bytes[env * 32 + 4 * i];
    std::uint32_t value = 0;
    for (int k = 3; k >= 0; --k) value = value << 8 | std::to_integer<std::uint32_t>(at[k]);
    return static_cast<int>(value);
  };
  finish_first_episode(envs);
  EXPECT_EQ(word(0, 1), 10);  // days left
  EXPECT_EQ(word(0, 2), 1);   // the second episode
  EXPECT_EQ(word(0, 7), 0);
  act(envs, 0);
  EXPECT_EQ(word(0, 0), envs.day(0));
  EXPECT_EQ(word(1, 0), envs.day(1));
  EXPECT_EQ(word(0, 1), 9);
  EXPECT_EQ(word(0, 7), -1);  // held as the last day closed
  EXPECT_EQ(word(0, 6), 0);
  for (int i = 0; i < 9; ++i) act(envs, 2);
  EXPECT_EQ(word(0, 2), 2);
  EXPECT_EQ(word(0, 3), 0);
}

// The constant came from g++ 12 on x86-64.
TEST_F(MarketSteps, GiveTheSameBitsWithEveryCompiler) {
  MarketOptions o;
  o.window = 8;
  o.episode_days = 30;
  MarketEnvironments envs(load_market(FOXHUNT_DATA), o, 12345);
  std::vector<float> all(8 * 8 * MarketEnvironments::features);
  std::vector<float> windows = all;
  for (int step = 0; step < 100; ++step) {
    envs.observe(windows.data());
    act(envs, step * 7 % 3);
    all.insert(all.end(), windows.begin(), windows.end());
    all.insert(all.end(), reward_.begin(), reward_.end());
    all.insert(all.end(), done_.begin(), done_.end());
  }
  for (int day = 0; day < envs.market().days; ++day) {
    all.push_back(static_cast<float>(envs.outcome_label(day) * 10 + envs.frd_label(day)));
  }
  EXPECT_EQ(format_digest(payload_digest(std::as_bytes(std::span(all)))),
            "3b4d5267769298692efa396ba518178c");
}

TEST_F(MarketSteps, RefuseAnUnknownActionAndStayWhereTheyAre) {
  MarketEnvironments envs(market_from_prices(test::random_prices(150, 9)), options(2, 10), 5);
  const auto before = envs.state_bytes();
  for (const int wrong : {-1, 3}) {
    const std::vector<int> actions{2, wrong};
    std::vector<float> reward(2), done(2);
    try {
      envs.step(actions.data(), reward.data(), done.data());
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::bad_argument);
      EXPECT_EQ(std::string(error.what()), "market environment 1 was told to do " +
                                               std::to_string(wrong) +
                                               ", but knows 0 (short), 1 (flat) and 2 (long) only");
    }
    EXPECT_EQ(envs.state_bytes(), before);
  }
}

}  // namespace
}  // namespace foxhunt
