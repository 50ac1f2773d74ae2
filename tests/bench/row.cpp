// SPDX-License-Identifier: MIT
#include "tests/bench/row.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "dump/format/error.h"

namespace foxhunt::bench {

void print(const Row& row) {
  const char* const sign = row.smaller_is_better ? "<=" : ">=";
  const auto bound = [&](const std::optional<double>& value) {
    return value ? fmt::format("{} {:.4g}", sign, *value) : std::string("-");
  };
  const char* result = "-";
  if (row.hold) {
    const bool holds =
        row.smaller_is_better ? row.measured <= *row.hold : row.measured >= *row.hold;
    result = holds ? "ok" : "MISS";
  }
  fmt::print("{} | {:.4g} {} | {} | {} | {}\n", row.what, row.measured, row.unit, bound(row.hold),
             bound(row.goal), result);
  std::fflush(stdout);
}

double median(std::vector<double> values) {
  FOXHUNT_ASSERT(!values.empty());
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace foxhunt::bench
