// SPDX-License-Identifier: MIT
#include "compare/numerics/distances.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "tests/support/test_seed.h"

namespace foxhunt {
namespace {

using Doubles = std::vector<double>;
using Floats = std::vector<float>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

template <class T>
std::span<const std::byte> bytes(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

TEST(Within, AcceptsADistanceUpToTheTolerance) {
  EXPECT_TRUE(within(0, 0));
  EXPECT_TRUE(within(1, 1));
  EXPECT_FALSE(within(std::nextafter(1, 2), 1));
}

TEST(Within, FailsForNaN) {
  EXPECT_FALSE(within(kNaN, 1));
  EXPECT_FALSE(within(kNaN, kInf));
  EXPECT_FALSE(within(0, kNaN));
}

// Every distance of the file, over doubles.
std::vector<double> all_distances(const Doubles& a, const Doubles& b) {
  const Doubles magnitudes(a.size(), 1);
  return {max_absolute(a, b), max_relative(a, b), nmse(a, b),
          condition_aware(a, b, magnitudes, unit_roundoff(DType::f64)),
          max_ulp(DType::f64, bytes(a), bytes(b))};
}

void expect_never_pass(const Doubles& a, const Doubles& b) {
  for (const double distance : all_distances(a, b)) EXPECT_FALSE(within(distance, kInf));
}

TEST(EveryDistance, NeverPassesOnLengthsThatDiffer) { expect_never_pass({1, 2}, {1}); }

TEST(EveryDistance, NeverPassesOnNothing) { expect_never_pass({}, {}); }

TEST(EveryDistance, NeverPassesOnANaNOrInfinityEvenAnEqualOne) {
  for (const double bad : {kNaN, kInf, -kInf}) {
    expect_never_pass({1, bad}, {1, 2});
    expect_never_pass({1, 2}, {1, bad});
    expect_never_pass({1, bad}, {1, bad});
    expect_never_pass({bad, 1}, {bad, 1});
  }
}

TEST(EveryDistance, IsZeroForEqualOutputs) {
  for (const double distance : all_distances({1, -2, 0}, {1, -2, 0})) EXPECT_EQ(distance, 0);
}

TEST(MaxAbsolute, IsTheLargestDifference) {
  EXPECT_EQ(max_absolute(Doubles{1, 2, 3}, Doubles{1, 4.5, 2}), 2.5);
  EXPECT_EQ(max_absolute(Floats{1, 2, 3}, Floats{1, 4.5, 2}), 2.5);
}

TEST(MaxRelative, DividesByTheReferencePlusAMillionth) {
  EXPECT_EQ(max_relative(Doubles{2}, Doubles{3}), 1 / (2 + 1e-6));
  EXPECT_EQ(max_relative(Doubles{-2}, Doubles{3}), 5 / (2 + 1e-6));
  EXPECT_EQ(max_relative(Floats{0}, Floats{1}), 1 / 1e-6);
}

TEST(Nmse, DividesTheSquaredErrorByTheSquaredReference) {
  EXPECT_EQ(nmse(Doubles{3, 4}, Doubles{3, 5}), 1.0 / 25);
  EXPECT_EQ(nmse(Floats{3, 4}, Floats{3, 5}), 1.0 / 25);
}

TEST(Nmse, FallsBackToTheMeanSquaredErrorForAReferenceOfZero) {
  EXPECT_EQ(nmse(Doubles{0, 0}, Doubles{0, 2}), 2);
  EXPECT_EQ(nmse(Doubles{1e-16, 0}, Doubles{1e-16, 2}), 2);  // 5e-33 < 1e-30
  EXPECT_EQ(nmse(Doubles{2e-15, 0}, Doubles{2e-15, 2}), 4 / (2e-15 * 2e-15));
}

TEST(ConditionAware, MeasuresInUnitsOfTheSummedMagnitudes) {
  const double unit = unit_roundoff(DType::f32);
  EXPECT_EQ(condition_aware(Doubles{1}, Doubles{1 + 0x1p-23}, Doubles{2}, unit), 1);
}

TEST(ConditionAware, WantsExactAgreementWhereNothingWasSummed) {
  EXPECT_EQ(condition_aware(Doubles{0}, Doubles{0}, Doubles{0}, 0x1p-24), 0);
  EXPECT_EQ(condition_aware(Doubles{0}, Doubles{1e-300}, Doubles{0}, 0x1p-24), kInf);
}

TEST(ConditionAware, NeverPassesOnMagnitudesThatAreNone) {
  for (const double bad : {-1.0, kNaN, kInf}) {
    EXPECT_FALSE(within(condition_aware(Doubles{1}, Doubles{1}, Doubles{bad}, 0x1p-24), kInf));
  }
  EXPECT_FALSE(within(condition_aware(Doubles{1}, Doubles{1}, Doubles{}, 0x1p-24), kInf));
}

TEST(ConditionAware, SeparatesReorderingFromALostTerm) {
  auto rng = test::test_rng(1);
  std::normal_distribution<float> bell;
  double worst_reordered = 0;
  std::vector<double> lost;
  for (int output = 0; output < 500; ++output) {
    Floats terms(64);
    for (float& term : terms) term = bell(rng);
    double exact = 0, magnitude = 0;
    for (const float term : terms) exact += term, magnitude += std::fabs(term);
    std::shuffle(terms.begin(), terms.end(), rng);
    const float sum = std::accumulate(terms.begin(), terms.end(), 0.0f);
    const float without_one = std::accumulate(terms.begin() + 1, terms.end(), 0.0f);
    const auto distance = [&](float result) {
      return condition_aware(Doubles{exact}, Doubles{result}, Doubles{magnitude}, 0x1p-24);
    };
    worst_reordered = std::max(worst_reordered, distance(sum));
    lost.push_back(distance(without_one));
  }
  std::sort(lost.begin(), lost.end());
  EXPECT_LT(worst_reordered, 10);
  EXPECT_GT(lost[lost.size() / 2], 1000);
}

TEST(UnitRoundoff, IsHalfAStepAboveOne) {
  EXPECT_EQ(unit_roundoff(DType::f16), 0x1p-11);
  EXPECT_EQ(unit_roundoff(DType::bf16), 0x1p-8);
  EXPECT_EQ(unit_roundoff(DType::f32), 0x1p-24);
  EXPECT_EQ(unit_roundoff(DType::f64), 0x1p-53);
  EXPECT_EQ(unit_roundoff(DType::f8e4m3), 0x1p-4);
  EXPECT_EQ(unit_roundoff(DType::f8e5m2), 0x1p-3);
}

TEST(MaxUlp, CountsInTheFormatOfTheElements) {
  const std::vector<std::uint16_t> a = {0x3c00, 0x8001}, b = {0x3c02, 0x0002};
  EXPECT_EQ(max_ulp(DType::f16, bytes(a), bytes(b)), 3);
  const Floats x = {1}, y = {std::nextafter(1.0f, 2.0f)};
  EXPECT_EQ(max_ulp(DType::f32, bytes(x), bytes(y)), 1);
}

TEST(MaxUlp, NeverPassesOnAPartialElement) {
  const Floats x = {1, 1};
  const auto seven = bytes(x).first(7);
  EXPECT_FALSE(within(max_ulp(DType::f32, seven, seven), kInf));
}

}  // namespace
}  // namespace foxhunt
