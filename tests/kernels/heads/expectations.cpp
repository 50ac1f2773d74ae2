// SPDX-License-Identifier: MIT
#include "tests/kernels/heads/expectations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "tests/kernels/support/near_oracle.h"

namespace foxhunt::heads_test {

double distance(const std::vector<float>& actual, const std::vector<Conditioned>& expected) {
  double largest = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double off = std::abs(double{actual[i]} - expected[i].value);
    if (off > 0) largest = std::max(largest, off / (0x1p-24 * expected[i].as_term()));
  }
  return largest;
}

void expect_close(const std::string& name, const std::vector<float>& actual,
                  const std::vector<Conditioned>& expected, double bound) {
  SCOPED_TRACE(name);
  std::vector<double> values, terms;
  for (const Conditioned& e : expected) {
    values.push_back(e.value);
    terms.push_back(e.as_term());
  }
  test::expect_near_oracle(actual, values, terms, bound);
  if (std::getenv("FOXHUNT_PRINT_DISTANCES") != nullptr && actual.size() == expected.size()) {
    std::printf("distance %-28s %8.3f\n", name.c_str(), distance(actual, expected));
  }
}

void expect_slopes(const std::string& name,
                   const std::function<double(const std::vector<double>&)>& loss,
                   const std::vector<double>& parameters, const std::vector<double>& gradient) {
  SCOPED_TRACE(name);
  const bool is_some =
      std::any_of(gradient.begin(), gradient.end(), [](double g) { return g != 0; });
  EXPECT_TRUE(is_some) << "a gradient of zeros is no test";
  test::expect_same_gradient(gradient, test::central_differences(loss, parameters));
}

}  // namespace foxhunt::heads_test
