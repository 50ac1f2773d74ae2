// SPDX-License-Identifier: MIT
#include "compare/numerics/float_formats.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "compare/numerics/dispatch.h"
#include "compare/numerics/ulp.h"
#include "tests/compare/numerics/naive_difference.h"
#include "tests/support/test_seed.h"

namespace foxhunt {
namespace {

// Infinities equal, any NaN for any NaN.
bool same_value(double found, double expected) {
  if (std::isnan(expected)) return std::isnan(found);
  return std::bit_cast<std::uint64_t>(found) == std::bit_cast<std::uint64_t>(expected);
}

template <class Format>
void expect_every_pattern(DType dtype) {
  const std::uint64_t patterns = std::uint64_t{1} << (8 * dtype_size(dtype));
  for (std::uint64_t bits = 0; bits < patterns; ++bits) {
    const auto pattern = static_cast<typename Format::Bits>(bits);
    const double expected = test::naive_decode(dtype, bits);
    ASSERT_TRUE(same_value(Format::decode(pattern), expected)) << dtype_name(dtype) << " " << bits;
    const std::uint64_t magnitude = bits & Format::kMagnitude;
    ASSERT_EQ(magnitude > Format::kLargestNumber, std::isnan(expected)) << bits;
    ASSERT_EQ(magnitude <= Format::kLargestFinite, std::isfinite(expected)) << bits;
    if (std::isfinite(expected)) {
      ASSERT_TRUE(same_value(Format::decode_finite(pattern), expected)) << bits;
    }
  }
}

TEST(FloatFormats, DecodeEveryPatternOfEightAndSixteenBits) {
  expect_every_pattern<Float16>(DType::f16);
  expect_every_pattern<BFloat16>(DType::bf16);
  expect_every_pattern<Float8E4M3>(DType::f8e4m3);
  expect_every_pattern<Float8E5M2>(DType::f8e5m2);
}

TEST(FloatFormats, KeepTheSignAndPayloadOfANaN) {
  EXPECT_EQ(std::bit_cast<std::uint32_t>(Float16::decode(0xfe01)), 0xffc02000u);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(BFloat16::decode(0xffc1)), 0xffc10000u);
}

TEST(UlpDistance, CountsTheStepsBetweenNeighbours) {
  EXPECT_EQ(ulp_distance<Float32>(0x3f800000u, 0x3f800001u), 1u);
  EXPECT_EQ(ulp_distance<Float32>(0x80000000u, 0x00000000u), 0u);
  EXPECT_EQ(ulp_distance<Float32>(0x80000001u, 0x00000001u), 2u);
  EXPECT_EQ(ulp_distance<Float32>(0x7f7fffffu, 0x7f800000u), 1u);
  EXPECT_EQ(ulp_distance<Float32>(0xff800000u, 0x7f800000u), 2 * 0x7f800000u);
  EXPECT_EQ(ulp_distance<Float64>(std::uint64_t{0xfff} << 52, std::uint64_t{0x7ff} << 52),
            std::uint64_t{0xffe} << 52);
}

// Walks through every number of a small format in order: each step is one.
template <class Format>
void expect_steps_of_one() {
  using Bits = typename Format::Bits;
  const auto at = [](int place) {
    return static_cast<Bits>(place < 0 ? -place | Format::kSign : place);
  };
  const int largest = Format::kLargestNumber;
  for (int place = -largest; place < largest; ++place) {
    ASSERT_EQ(ulp_distance<Format>(at(place), at(place + 1)), 1) << place;
    ASSERT_EQ(ulp_distance<Format>(at(-largest), at(place)), place + largest);
    ASSERT_LT(Format::decode(at(place)), Format::decode(at(place + 1))) << place;
  }
}

TEST(UlpDistance, IsOneFromEachNumberOfASmallFormatToTheNext) {
  expect_steps_of_one<Float16>();
  expect_steps_of_one<BFloat16>();
  expect_steps_of_one<Float8E4M3>();
  expect_steps_of_one<Float8E5M2>();
}

}  // namespace
}  // namespace foxhunt
