// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace foxhunt {

// Daily closing prices of four stock indices, as log-returns.
//
// The arithmetic is IEEE's correctly rounded operations and kernels/math's log1p, so the returns
// are the same bits with every compiler and libm.
struct Market {
  static constexpr int kIndices = 4;

  int days = 0;                             // prices; day 0 has no return
  std::array<std::string, kIndices> names;  // "DAX"; empty where nobody named them
  std::vector<float> log_returns;           // row-major [days-1, 4]; row d-1 is what day d brought

  // log(price of `day` / price of the day before), 1 <= day < days.
  float log_return(int day, int index) const {
    return log_returns[static_cast<std::size_t>((day - 1) * kIndices + index)];
  }
};

// Reads a file like data/eustockmarkets.csv: one line of column names, then one line a day, oldest
// first: a time, which is not looked at, and four prices; further columns are ignored. Values are
// separated by commas, names may be quoted.
//
// Throws Error: missing (no such file), io (it cannot be read), format. The latter names file and
// line: no column names, too few columns, not a number, a price that is not positive, or is more
// than a thousand times its neighbour; fewer than two days.
Market load_market(const std::filesystem::path& path);

// The same of prices in memory: row-major [days, 4], two days at least, oldest first. Throws Error
// format, naming day and index, for the prices that load_market refuses.
Market market_from_prices(std::span<const double> prices);

}  // namespace foxhunt
