// SPDX-License-Identifier: MIT
#include "trainer_hooks/reference/environment.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dump/format/error.h"
#include "kernels/math/philox.h"
#include "trainer_hooks/reference/labels.h"

namespace foxhunt {
namespace {

constexpr int kShortDays = 20, kLongDays = 60;
constexpr std::size_t kFromPrices = MarketEnvironments::features - 1;  // all but the position
constexpr double kLeastVolatility =
    1e-4;  // of a day: where prices stand still, nothing divides by 0

// Sums over the `days` days that end with `last`. In double and in the order of the days.
double sum_of_returns(const Market& market, int index, int last, int days) {
  double sum = 0;
  for (int d = last - days + 1; d <= last; ++d) sum += double{market.log_return(d, index)};
  return sum;
}
double volatility(const Market& market, int index, int last, int days) {
  double squares = 0;
  for (int d = last - days + 1; d <= last; ++d) {
    const double r = double{market.log_return(d, index)};
    squares += r * r;
  }
  return std::max(std::sqrt(squares / days), kLeastVolatility);
}

std::vector<float> features_of_days(const Market& market, int traded) {
  std::vector<float> daily(static_cast<std::size_t>(market.days) * kFromPrices);
  for (int day = kLongDays; day < market.days; ++day) {
    float* out = &daily[static_cast<std::size_t>(day) * kFromPrices];
    for (int i = 0; i < Market::kIndices; ++i) {
      const double unit = volatility(market, i, day, kLongDays);
      *out++ = static_cast<float>(double{market.log_return(day, i)} / unit);
    }
    *out++ = static_cast<float>(100 * volatility(market, traded, day, kShortDays));
    const double unit = volatility(market, traded, day, kLongDays);
    for (const int days : {kShortDays, kLongDays}) {
      const double momentum = sum_of_returns(market, traded, day, days);
      *out++ = static_cast<float>(momentum / (unit * std::sqrt(double(days))));
    }
  }
  return daily;
}

int first_day(const MarketOptions& o) { return kLongDays + o.window - 1; }

void check(const Market& market, const MarketOptions& o) {
  const auto at_least = [](const char* name, int value, int least) {
    if (value < least) {
      throw Error(Errc::bad_argument, "market environments: {} is {}, but must be {} or more", name,
                  value, least);
    }
  };
  at_least("envs", o.envs, 1);
  at_least("window", o.window, 1);
  at_least("episode_days", o.episode_days, 1);
  at_least("horizon", o.horizon, 1);
  at_least("frd_bins", o.frd_bins, 1);
  at_least("outcome_classes", o.outcome_classes, 1);
  at_least("traded", o.traded, 0);
  if (o.traded >= Market::kIndices) {
    throw Error(Errc::bad_argument, "market environments: traded is {}, but there are {} indices",
                o.traded, Market::kIndices);
  }
  if (!(o.trading_cost >= 0) || !(o.trading_cost < 1)) {
    throw Error(Errc::bad_argument,
                "market environments: trading_cost is {}, but must be in [0, 1)", o.trading_cost);
  }
  if (!(o.reward_scale > 0) || !std::isfinite(o.reward_scale)) {
    throw Error(Errc::bad_argument,
                "market environments: reward_scale is {}, but must be positive and finite",
                o.reward_scale);
  }
  // In 64 bits: the options may be anything.
  const std::int64_t for_episode = std::int64_t{kLongDays} + o.window + o.episode_days;
  const std::int64_t for_labels = std::int64_t{o.horizon} + std::max(o.frd_bins, o.outcome_classes);
  if (market.days < std::max(for_episode, for_labels)) {
    throw Error(Errc::bad_argument,
                "market environments: {} days of prices are too few: an episode of {} days behind "
                "a window of {} and {} of history needs {}, and labels over a horizon of {} need "
                "{}; choose shorter ones or longer data",
                market.days, o.episode_days, o.window, kLongDays, for_episode, o.horizon,
                for_labels);
  }
}

// One of 0 … count - 1.
int draw(std::uint32_t word, int count) {
  return static_cast<int>((std::uint64_t{word} * static_cast<std::uint64_t>(count)) >> 32);
}

void append(std::vector<std::byte>& bytes, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) bytes.push_back(static_cast<std::byte>(value >> (8 * i)));
}

}  // namespace

MarketEnvironments::MarketEnvironments(Market market, MarketOptions options, std::uint64_t seed)
    : market_(std::move(market)), options_(options), seed_(seed) {
  check(market_, options_);
  daily_ = features_of_days(market_, options_.traded);
  const ForwardReturns forward(market_, options_.traded, options_.horizon);
  outcome_ = forward.classes_of_equal_frequency(options_.outcome_classes);
  frd_ = forward.classes_of_equal_frequency(options_.frd_bins);
  envs_.resize(static_cast<std::size_t>(options_.envs));
  held_.resize(envs_.size() * static_cast<std::size_t>(options_.window));
  for (int e = 0; e < options_.envs; ++e) begin_episode(e);
}

void MarketEnvironments::begin_episode(int env) {
  Env& at = envs_[static_cast<std::size_t>(env)];
  const auto words = math::philox(seed_, math::RngPurpose::environment, at.episode,
                                  static_cast<std::uint64_t>(env));
  const int first = first_day(options_);
  at.day = first + draw(words.x, market_.days - options_.episode_days - first);
  at.days_left = at.episode > 0 ? options_.episode_days : 1 + draw(words.y, options_.episode_days);
  std::fill_n(held_.begin() + std::ptrdiff_t{env} * options_.window, options_.window, 0);
}

void MarketEnvironments::observe(float* windows) const {
  const int* held = held_.data();
  for (const Env& at : envs_) {
    for (int day = at.day - options_.window + 1; day <= at.day; ++day) {
      windows =
          std::copy_n(&daily_[static_cast<std::size_t>(day) * kFromPrices], kFromPrices, windows);
      *windows++ = static_cast<float>(*held++);
    }
  }
}

void MarketEnvironments::step(const int* actions, float* reward, float* done) {
  for (int e = 0; e < envs(); ++e) {
    if (actions[e] < 0 || actions[e] > 2) {
      throw Error(Errc::bad_argument,
                  "market environment {} was told to do {}, but knows 0 (short), 1 (flat) and 2 "
                  "(long) only",
                  e, actions[e]);
    }
  }
  for (int e = 0; e < envs(); ++e) {
    Env& at = envs_[static_cast<std::size_t>(e)];
    int* const first = &held_[static_cast<std::size_t>(e * options_.window)];
    int* const last = first + options_.window - 1;
    const int position = actions[e] - 1;
    const auto traded = static_cast<float>(std::abs(position - *last));
    const float gain = static_cast<float>(position) * market_.log_return(++at.day, options_.traded);
    reward[e] = options_.reward_scale * (gain - options_.trading_cost * traded);

    std::copy(first + 1, last + 1, first);
    *last = position;
    const bool ended = --at.days_left == 0;
    done[e] = ended ? 1.0f : 0.0f;
    if (ended) {
      ++at.episode;
      begin_episode(e);
    }
  }
}

int MarketEnvironments::outcome_label(int day) const {
  return day < 0 || day >= market_.days ? -1 : outcome_[static_cast<std::size_t>(day)];
}
int MarketEnvironments::frd_label(int day) const {
  return day < 0 || day >= market_.days ? -1 : frd_[static_cast<std::size_t>(day)];
}

std::vector<std::byte> MarketEnvironments::state_bytes() const {
  std::vector<std::byte> bytes;
  const int* held = held_.data();
  for (const Env& at : envs_) {
    append(bytes, static_cast<std::uint32_t>(at.day), 4);
    append(bytes, static_cast<std::uint32_t>(at.days_left), 4);
    append(bytes, at.episode, 8);
    for (int t = 0; t < options_.window; ++t) append(bytes, static_cast<std::uint32_t>(*held++), 4);
  }
  return bytes;
}

}  // namespace foxhunt
