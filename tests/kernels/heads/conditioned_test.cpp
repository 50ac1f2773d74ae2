// SPDX-License-Identifier: MIT
#include "kernels/heads/conditioned.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/kernels/heads/expectations.h"

namespace foxhunt::heads_test {
namespace {

TEST(Conditioned, ADotProductsTermsAreTheProductsSizes) {
  const Conditioned sum =
      Conditioned(3.0) * Conditioned(2.0) + Conditioned(-5.0) * Conditioned(1.0);
  EXPECT_EQ(sum.value, 1);
  EXPECT_EQ(sum.terms, 11);
}

TEST(Conditioned, CancellationLeavesTheTermsOfBothSides) {
  const Conditioned difference = Conditioned(1000.0) - Conditioned(999.0);
  EXPECT_EQ(difference.terms, 1999);
  const Conditioned scaled = difference * Conditioned(0.5);
  EXPECT_EQ(scaled.terms, 999.5 + 0.5);
}

TEST(Conditioned, AFunctionCarriesTermsByItsDerivative) {
  const Conditioned y = log(Conditioned(4.0) - Conditioned(2.0));
  EXPECT_DOUBLE_EQ(y.terms, 6.0 / 2 + std::log(2.0));
}

TEST(ExpectClose, CountsRoundoffsOfTheTerms) {
  const float off = 1.0f + 0x1p-20f;
  EXPECT_EQ(distance({off}, {Conditioned(1.0, 1.0)}), 16);
  EXPECT_EQ(distance({off}, {Conditioned(1.0, 16.0)}), 1);
  expect_close("just", {off}, {Conditioned(1.0, 1.0)});
  EXPECT_NONFATAL_FAILURE(expect_close("more", {off}, {Conditioned(1.0, 1.0)}, 15.9), "more");
}

TEST(ExpectSlopes, FindsAGradientWrongByOnePartInAMillion) {
  const auto loss = [](const std::vector<double>& x) { return x[0] * x[0] * x[1]; };
  expect_slopes("right", loss, {3, 2}, {12, 9});
  EXPECT_NONFATAL_FAILURE(expect_slopes("wrong", loss, {3, 2}, {12.00002, 9}), "element 0");
}

}  // namespace
}  // namespace foxhunt::heads_test
