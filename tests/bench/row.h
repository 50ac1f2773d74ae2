// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foxhunt::bench {

// One figure of the table that scripts/bench prints.
struct Row {
  std::string what;
  double measured = 0;
  std::string unit;
  // What must hold, and what is aimed at; nothing: the figure is only told.
  std::optional<double> hold, goal;
  bool smaller_is_better = false;
};

// "what | 3.62 x | >= 3.50 | 4.00 | ok", or MISS, on stdout.
void print(const Row& row);

// The middle one; the mean of the middle two. At least one value.
double median(std::vector<double> values);

}  // namespace foxhunt::bench
