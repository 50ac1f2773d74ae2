// SPDX-License-Identifier: MIT
#include "compare/numerics/tolerance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "tests/support/test_seed.h"

namespace foxhunt {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

template <class T>
ToleranceResult tolerance_of(DType dtype, const std::vector<T>& a, const std::vector<T>& b,
                             double rtol, double atol) {
  return measure_tolerance(dtype, std::as_bytes(std::span(a)).data(),
                           std::as_bytes(std::span(b)).data(), a.size(), rtol, atol);
}

TEST(Tolerance, HoldsTheDifferenceAgainstAbsoluteAndRelativePart) {
  const std::vector<double> a = {1, 10, 100}, b = {1.5, 10, 102};
  const auto result = tolerance_of(DType::f64, a, b, 0.01, 0.5);
  EXPECT_EQ(result.outside, 1u);  // 2 > 0.5 + 1.02
  EXPECT_FALSE(result.within);
  EXPECT_NEAR(result.smallest_rtol, 1.5 / 102, 1e-15);
  EXPECT_NEAR(result.smallest_atol, 2 - 1.02, 1e-15);
  EXPECT_TRUE(tolerance_of(DType::f64, a, b, 0.02, 0.5).within);
}

TEST(Tolerance, NeedsNoneForEqualBytesEvenNaNs) {
  const std::vector<std::uint32_t> a = {0x7fc00001, 0x7f800000, 0x3f800000};
  const auto result = tolerance_of(DType::f32, a, a, 0, 0);
  EXPECT_TRUE(result.within);
  EXPECT_EQ(result.smallest_rtol, 0);
  EXPECT_EQ(result.smallest_atol, 0);
}

TEST(Tolerance, NeverPassesANaNOrInfinityThatDiffers) {
  const std::vector<std::uint32_t> one = {0x3f800000};
  for (const std::uint32_t bad : {0x7fc00000u, 0x7f800000u, 0xff800000u}) {
    for (const auto& [a, b] : {std::pair{std::vector{bad}, one}, std::pair{one, std::vector{bad}},
                               std::pair{std::vector{bad}, std::vector{bad ^ 0x80000000u}}}) {
      const auto result = tolerance_of(DType::f32, a, b, kInf, kInf);
      EXPECT_FALSE(result.within);
      EXPECT_EQ(result.outside, 1u);
      EXPECT_EQ(result.smallest_rtol, kInf);
      EXPECT_EQ(result.smallest_atol, kInf);
    }
  }
}

TEST(Tolerance, HasNoRelativeOneAgainstZero) {
  const auto result =
      tolerance_of(DType::f64, std::vector<double>{1}, std::vector<double>{0}, 1, 0);
  EXPECT_EQ(result.smallest_rtol, kInf);
  EXPECT_EQ(result.smallest_atol, 1);
}

TEST(Tolerance, PassesZerosOfOtherSign) {
  const auto result =
      tolerance_of(DType::f64, std::vector<double>{0}, std::vector<double>{-0.0}, 0, 0);
  EXPECT_TRUE(result.within);
}

TEST(Tolerance, TakesExtremeIntegersAsTheyAre) {
  const std::vector<std::int64_t> a = {std::numeric_limits<std::int64_t>::min()}, b = {1};
  const auto result = tolerance_of(DType::i64, a, b, 0, 0);
  EXPECT_EQ(result.smallest_atol, 0x1p63);
  EXPECT_EQ(result.smallest_rtol, 0x1p63);
}

// Beside a large atol the sum rounds so coarsely that half the obvious quotient already passes.
TEST(Tolerance, FindsTheSmallestFarFromTheObviousQuotient) {
  const std::vector<double> a = {1e16 + 12}, b = {3};
  const auto result = tolerance_of(DType::f64, a, b, 0, 1e16);
  EXPECT_LT(result.smallest_rtol, 2.8);
  EXPECT_TRUE(tolerance_of(DType::f64, a, b, result.smallest_rtol, 1e16).within);
  EXPECT_FALSE(
      tolerance_of(DType::f64, a, b, std::nextafter(result.smallest_rtol, 0), 1e16).within);
}

TEST(Tolerance, IsNotWithinWhenNothingWasMeasured) {
  EXPECT_FALSE(measure_tolerance(DType::f32, nullptr, nullptr, 0, 1, 1).within);
}

class ToleranceOf : public testing::TestWithParam<DType> {
 protected:
  // Pairs of every distance, mostly finite.
  void SetUp() override {
    auto rng = test::test_rng(static_cast<std::uint64_t>(GetParam()));
    const std::uint32_t size = dtype_size(GetParam());
    for (auto* side : {&a_, &b_}) side->resize(kElements * size);
    for (std::uint64_t i = 0; i < kElements; ++i) {
      // An exponent of all ones would be a NaN: keep its highest bit clear.
      const std::uint64_t bits = rng() & ~(std::uint64_t{1} << (8 * size - 2));
      const std::uint64_t other = rng() % 3 == 0 ? bits : bits ^ (rng() % 64);
      std::memcpy(a_.data() + i * size, &bits, size);
      std::memcpy(b_.data() + i * size, &other, size);
    }
  }

  ToleranceResult measure(double rtol, double atol, std::uint64_t from = 0,
                          std::uint64_t to = kElements) const {
    const std::uint32_t size = dtype_size(GetParam());
    return measure_tolerance(GetParam(), a_.data() + from * size, b_.data() + from * size,
                             to - from, rtol, atol);
  }

  static constexpr std::uint64_t kElements = 500;
  std::vector<std::byte> a_, b_;
};

INSTANTIATE_TEST_SUITE_P(Every, ToleranceOf, testing::ValuesIn(kAllDTypes),
                         [](const auto& of) { return std::string(dtype_name(of.param)); });

TEST_P(ToleranceOf, PassesWithTheSmallestItNamesAndNotBelow) {
  for (const double rtol : {0.0, 1e-9, 0.01}) {
    for (const double atol : {0.0, 1e-30, 1e-3, 5.0}) {
      const auto result = measure(rtol, atol);
      EXPECT_EQ(result.within, result.outside == 0);
      if (result.smallest_rtol < kInf) {
        EXPECT_TRUE(measure(result.smallest_rtol, atol).within);
        if (result.smallest_rtol > 0) {
          EXPECT_FALSE(measure(std::nextafter(result.smallest_rtol, 0), atol).within);
        }
        EXPECT_EQ(result.within, rtol >= result.smallest_rtol);
      }
      ASSERT_LT(result.smallest_atol, kInf);
      EXPECT_TRUE(measure(rtol, result.smallest_atol).within);
      if (result.smallest_atol > 0) {
        EXPECT_FALSE(measure(rtol, std::nextafter(result.smallest_atol, 0)).within);
      }
      EXPECT_EQ(result.within, atol >= result.smallest_atol);
    }
  }
}

TEST_P(ToleranceOf, IsTheSameHoweverTheBufferIsCut) {
  const auto whole = measure(0.01, 1e-3);
  for (const std::uint64_t cut : {0u, 1u, 250u, 500u}) {
    ToleranceResult joined{.rtol = 0.01, .atol = 1e-3};
    merge(joined, measure(0.01, 1e-3, 0, cut));
    merge(joined, measure(0.01, 1e-3, cut));
    EXPECT_EQ(joined.outside, whole.outside);
    EXPECT_EQ(joined.within, whole.within);
    EXPECT_EQ(joined.smallest_rtol, whole.smallest_rtol);
    EXPECT_EQ(joined.smallest_atol, whole.smallest_atol);
  }
}

}  // namespace
}  // namespace foxhunt
