// SPDX-License-Identifier: MIT
#include "trainer_hooks/reference/market.h"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <optional>
#include <string_view>

#include "dump/format/error.h"
#include "kernels/math/elementary.h"

namespace foxhunt {
namespace {

constexpr std::size_t kIndexColumns = Market::kIndices;
// No index has moved like this in a day; a misplaced decimal point has.
constexpr double kLargestDailyFactor = 1000;

// The line's next value, without quotes, and moves on; nothing at its end.
std::optional<std::string_view> next_column(std::optional<std::string_view>& rest) {
  if (!rest) return std::nullopt;
  const std::size_t comma = rest->find(',');
  std::string_view column = rest->substr(0, comma);
  if (comma == std::string_view::npos) {
    rest = std::nullopt;
  } else {
    rest->remove_prefix(comma + 1);
  }
  if (column.size() >= 2 && column.front() == '"' && column.back() == '"') {
    column = column.substr(1, column.size() - 2);
  }
  return column;
}

using Columns = std::array<std::string_view, kIndexColumns>;

// The four columns behind the time.
Columns read_columns(std::string_view text, const std::filesystem::path& path, int line) {
  if (text.ends_with('\r')) text.remove_suffix(1);
  std::optional<std::string_view> rest = text;
  next_column(rest);
  Columns columns;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto column = next_column(rest);
    if (!column) {
      throw Error(Errc::format, "{}:{}: {} columns, but a time and {} prices are expected: '{}'",
                  path.string(), line, i + 1, columns.size(), text);
    }
    columns[i] = *column;
  }
  return columns;
}

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// What is wrong with a price; empty if nothing is. `before`: of the day before, or 0.
std::string trouble_with(double price, double before) {
  if (!(price > 0) || !std::isfinite(price)) {
    return fmt::format("the price is {}, but must be positive and finite", price);
  }
  const bool leaps = price > before * kLargestDailyFactor || before > price * kLargestDailyFactor;
  if (before > 0 && leaps) {
    return fmt::format("the price goes from {} to {} in a day; is a decimal point misplaced?",
                       before, price);
  }
  return {};
}

void append_returns(std::span<const double> before, std::span<const double> today,
                    std::vector<float>& log_returns) {
  for (std::size_t i = 0; i < kIndexColumns; ++i) {
    const double change = (today[i] - before[i]) / before[i];
    log_returns.push_back(math::log1p(static_cast<float>(change)));
  }
}

}  // namespace

Market load_market(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) {
    throw Error(Errc::missing,
                "{}: no such file; the reference trainer needs daily prices like those in "
                "data/eustockmarkets.csv",
                path.string());
  }
  std::ifstream file(path);
  std::string text;
  if (!std::getline(file, text)) {
    const bool is_empty = file.eof() && !file.bad();
    if (is_empty) throw Error(Errc::format, "{}:1: the file is empty", path.string());
    throw Error(Errc::io, "{}: cannot be read: {}", path.string(), errno_text(errno));
  }
  Market market;
  const Columns names = read_columns(text, path, 1);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (parse_number(names[i])) {
      throw Error(Errc::format, "{}:1: '{}' is a number, but the first line holds column names",
                  path.string(), names[i]);
    }
    market.names[i] = names[i];
  }
  std::array<double, kIndexColumns> before{}, today{};
  int line = 1;
  while (std::getline(file, text)) {
    ++line;
    const Columns columns = read_columns(text, path, line);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto price = parse_number(columns[i]);
      if (!price) {
        throw Error(Errc::format, "{}:{}: {}: '{}' is not a number", path.string(), line,
                    market.names[i], columns[i]);
      }
      const std::string trouble = trouble_with(*price, before[i]);
      if (!trouble.empty()) {
        throw Error(Errc::format, "{}:{}: {}: {}", path.string(), line, market.names[i], trouble);
      }
      today[i] = *price;
    }
    if (market.days++ > 0) append_returns(before, today, market.log_returns);
    before = today;
  }
  if (file.bad()) {
    throw Error(Errc::io, "{}: cannot be read: {}", path.string(), errno_text(errno));
  }
  if (market.days < 2) {
    throw Error(Errc::format, "{}:{}: the file ends after {} days; a return needs two",
                path.string(), line, market.days);
  }
  return market;
}

Market market_from_prices(std::span<const double> prices) {
  if (prices.size() % kIndexColumns != 0 || prices.size() < 2 * kIndexColumns) {
    throw Error(Errc::bad_argument, "{} prices are not {} indices of two days or more",
                prices.size(), kIndexColumns);
  }
  Market market;
  market.days = static_cast<int>(prices.size() / kIndexColumns);
  for (std::size_t i = 0; i < prices.size(); ++i) {
    const double before = i < kIndexColumns ? 0 : prices[i - kIndexColumns];
    const std::string trouble = trouble_with(prices[i], before);
    if (!trouble.empty()) {
      throw Error(Errc::format, "day {}, index {}: {}", i / kIndexColumns, i % kIndexColumns,
                  trouble);
    }
  }
  for (std::size_t i = kIndexColumns; i < prices.size(); i += kIndexColumns) {
    append_returns(prices.subspan(i - kIndexColumns, kIndexColumns),
                   prices.subspan(i, kIndexColumns), market.log_returns);
  }
  return market;
}

}  // namespace foxhunt
