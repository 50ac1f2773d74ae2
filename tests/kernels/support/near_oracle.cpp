// SPDX-License-Identifier: MIT
#include "tests/kernels/support/near_oracle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace foxhunt::test {

void expect_near_oracle(const std::vector<float>& values, const std::vector<double>& oracle,
                        const std::vector<double>& terms, double c) {
  ASSERT_FALSE(values.empty()) << "nothing to compare";
  ASSERT_EQ(values.size(), oracle.size());
  ASSERT_EQ(values.size(), terms.size());
  constexpr double kU = 1.0 / (1 << 24);
  std::size_t outside = 0, first = 0;
  const auto error = [&](std::size_t i) {
    return std::fabs(static_cast<double>(values[i]) - oracle[i]);
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (error(i) <= c * kU * terms[i]) continue;
    if (outside++ == 0) first = i;
  }
  if (outside == 0) return;
  ADD_FAILURE() << "element " << first << " is " << values[first] << " against " << oracle[first]
                << ": off by " << error(first) << ", and " << c * kU * terms[first]
                << " is allowed; outside are " << outside << " of " << values.size();
}

std::vector<double> central_differences(const std::function<double(const std::vector<double>&)>& f,
                                        const std::vector<double>& input, double step) {
  std::vector<double> moved = input, differences(input.size());
  for (std::size_t i = 0; i < input.size(); ++i) {
    moved[i] = input[i] + step;
    const double above = f(moved);
    moved[i] = input[i] - step;
    const double below = f(moved);
    moved[i] = input[i];
    differences[i] = (above - below) / (2 * step);
  }
  return differences;
}

void expect_same_gradient(const std::vector<double>& gradient,
                          const std::vector<double>& differences, double tolerance) {
  ASSERT_FALSE(gradient.empty()) << "nothing to compare";
  ASSERT_EQ(gradient.size(), differences.size());
  double largest = 0;
  for (const double g : gradient) largest = std::max(largest, std::fabs(g));
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    EXPECT_LE(std::fabs(gradient[i] - differences[i]), tolerance * largest) << "element " << i;
  }
}

}  // namespace foxhunt::test
