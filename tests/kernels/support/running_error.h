// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <string_view>
#include <vector>

#include "kernels/math/rounded.h"

namespace foxhunt::test {

// Floats as an oracle's numbers (double or Rounded): exact.
template <class Real>
std::vector<Real> exactly(const std::vector<float>& values) {
  std::vector<Real> out;
  for (const float v : values) out.push_back(Real(static_cast<double>(v)));
  return out;
}

// EXPECTs every value within the running error of its oracle (kernels/math/rounded.h), which bounds
// to first order what all roundings on the way to it can add up to. `limit` is 1, and a little more
// where the kernel adds in another order than the oracle, whose partial sums are then others. NaN
// fails, and so does comparing nothing. Prints the worst quotient, and how sharp the bound is: its
// median over the values' magnitudes.
inline void expect_within_running_error(std::string_view name, const std::vector<float>& values,
                                        const std::vector<oracle::Rounded>& expected,
                                        double limit = 1.0) {
  ASSERT_FALSE(values.empty()) << name << ": nothing to compare";
  ASSERT_EQ(values.size(), expected.size()) << name;
  double worst = 0.0;
  std::size_t where = 0;
  std::vector<double> sharpness;
  for (std::size_t i = 0; i < values.size(); i++) {
    const double distance = oracle::distance_in_bounds(values[i], expected[i]);
    if (expected[i].value != 0.0) {
      sharpness.push_back(oracle::kUnitRoundoff * expected[i].error / std::abs(expected[i].value));
    }
    if (distance > worst) {
      worst = distance;
      where = i;
    }
  }
  std::sort(sharpness.begin(), sharpness.end());
  std::cout << name << ": at worst " << worst << " of the running error, which is "
            << (sharpness.empty() ? 0.0 : sharpness[sharpness.size() / 2]) << " of the values\n";
  EXPECT_LE(worst, limit) << name << ": element " << where << " is " << values[where] << " against "
                          << expected[where].value << " with an error of " << expected[where].error
                          << " units";
}

}  // namespace foxhunt::test
