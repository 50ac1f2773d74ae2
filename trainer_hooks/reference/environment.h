// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trainer_hooks/reference/market.h"

namespace foxhunt {

struct MarketOptions {
  int envs = 8;
  int window = 16;             // T, days an agent sees
  int episode_days = 128;      // steps of an episode
  float trading_cost = 1e-3f;  // of what is traded: 10 basis points
  int horizon = 5;             // days that labels look ahead
  int frd_bins = 5;            // of the forward-return distribution
  int outcome_classes = 3;     // down, flat, up
  int traded = 0;              // index that the agents trade: DAX
  float reward_scale = 100;    // rewards in percent
};

// Copies ("envs") of one trading problem, each on its own stretch of the series.
//
// An env sees day t, chooses a position, and is paid what day t+1 brings it. An episode starts flat
// on a day that is drawn from (seed, env, number of its episode), and ends, without closing the
// position, after episode_days steps; only an env's first one is shorter, by a drawn number of
// days, so that not all envs end at once.
//
// Same seed and actions: the same bits, with every compiler. All memory is the host's. One thread
// at a time.
class MarketEnvironments {
 public:
  // F, per day of a window. r is a log-return; v60 its root mean square over the last 60 days.
  //   0-3  r / v60 of each of the four indices
  //   4    volatility of the traded index: root mean square of r over the last 20 days, in percent
  //   5    momentum of the traded index: the sum of the last 20 days' r / (v60 sqrt(20))
  //   6    the same over 60 days
  //   7    the position held as that day closed, before its action: -1, 0, 1; 0 before the episode
  // "The last n days" end with the day itself, so nothing that an agent sees looks ahead.
  static constexpr int features = 8;

  // Throws Error bad_argument: an option out of its range, or a market with too few days for them.
  MarketEnvironments(Market market, MarketOptions options, std::uint64_t seed);

  int envs() const noexcept { return options_.envs; }
  const Market& market() const noexcept { return market_; }
  const MarketOptions& options() const noexcept { return options_; }

  // Writes what the agents see now: windows[envs, T, F], oldest day first.
  void observe(float* windows) const;

  // Takes one day's actions[envs] (0 short, 1 flat, 2 long) and writes, per env,
  //   reward  reward_scale * (position * next log-return - trading_cost * |change of position|)
  //   done    1 where the episode ended with this step (the env is at the start of its next one,
  //           and observe() shows that), else 0
  // Throws Error bad_argument for any other action, before anything has changed.
  void step(const int* actions, float* reward, float* done);

  // The day, from 0, that an env is on: the last one of its window.
  int day(int env) const { return envs_[static_cast<std::size_t>(env)].day; }

  // What the traded index does over the `horizon` days after `day`, as a class: the forward returns
  // of the whole series, split into classes of equal frequency, the lowest is 0; equal returns are
  // of one class. -1 where the series does not hold all of these days. These are for a loss to
  // learn; being what is to be foretold, they do look ahead.
  int outcome_label(int day) const;  // outcome_classes
  int frd_label(int day) const;      // frd_bins

  // Everything that step() changes, for a digest: little-endian i32 per env: day, days left of the
  // episode, its number (u64), then the positions held over the window.
  std::vector<std::byte> state_bytes() const;

 private:
  struct Env {
    int day = 0;
    int days_left = 0;
    std::uint64_t episode = 0;
  };

  void begin_episode(int env);

  Market market_;
  MarketOptions options_;
  std::uint64_t seed_;
  std::vector<float> daily_;        // [days, F-1], 0 where there is no history yet
  std::vector<int> outcome_, frd_;  // [days]
  std::vector<Env> envs_;
  std::vector<int> held_;  // [envs, T]: position as each day of the window closed
};

}  // namespace foxhunt
