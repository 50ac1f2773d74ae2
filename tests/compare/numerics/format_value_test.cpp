// SPDX-License-Identifier: MIT
#include "compare/numerics/format_value.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "tests/compare/numerics/naive_difference.h"
#include "tests/support/test_seed.h"

namespace foxhunt {
namespace {

std::string digits_of(const std::string& text) {
  std::string digits;
  for (const char c : text.substr(0, text.find('e'))) {
    if (c >= '0' && c <= '9') digits += c;
  }
  digits.erase(0, digits.find_first_not_of('0'));
  digits.erase(digits.find_last_not_of('0') + 1);
  return digits;
}

// All finite values of a small format above 0, in order, with their bits.
std::map<double, std::uint64_t> positive_values(DType dtype) {
  std::map<double, std::uint64_t> values;
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << (8 * dtype_size(dtype) - 1); ++bits) {
    const double value = test::naive_decode(dtype, bits);
    if (std::isfinite(value)) values[value] = bits;
  }
  return values;
}

// What a correctly rounding reader makes of a number that lies on no midpoint.
std::uint64_t nearest(const std::map<double, std::uint64_t>& values, double number) {
  auto above = values.lower_bound(number);
  if (above == values.end()) return std::prev(above)->second;
  if (above == values.begin()) return above->second;
  const auto below = std::prev(above);
  return number - below->first < above->first - number ? below->second : above->second;
}

class FormatSmallFloat : public testing::TestWithParam<DType> {};

INSTANTIATE_TEST_SUITE_P(Every, FormatSmallFloat,
                         testing::Values(DType::f16, DType::bf16, DType::f8e4m3, DType::f8e5m2),
                         [](const auto& of) { return std::string(dtype_name(of.param)); });

TEST_P(FormatSmallFloat, ReadsBackToTheSameBits) {
  const auto values = positive_values(GetParam());
  const std::uint64_t sign = std::uint64_t{1} << (8 * dtype_size(GetParam()) - 1);
  for (const auto& [value, bits] : values) {
    const std::string text = format_value(GetParam(), bits);
    ASSERT_EQ(nearest(values, std::strtod(text.c_str(), nullptr)), bits) << text;
    ASSERT_EQ(format_value(GetParam(), bits | sign), "-" + text);
  }
}

TEST_P(FormatSmallFloat, IsAsShortAsCanBe) {
  const auto values = positive_values(GetParam());
  for (auto at = std::next(values.begin()); std::next(at) != values.end(); ++at) {
    const double below = (std::prev(at)->first + at->first) / 2;
    const double above = (std::next(at)->first + at->first) / 2;
    const std::string text = format_value(GetParam(), at->second);
    const auto digits = static_cast<int>(digits_of(text).size());
    if (digits == 1) continue;
    // No multiple of the next coarser power of ten lies strictly between the midpoints.
    for (int exponent = static_cast<int>(std::floor(std::log10(at->first))) - digits + 2;;
         ++exponent) {
      const double first = std::floor(below / std::pow(10, exponent)) + 1;
      const double candidate =
          std::strtod((std::to_string(first) + "e" + std::to_string(exponent)).c_str(), nullptr);
      ASSERT_FALSE(below < candidate && candidate < above) << text << " but " << candidate;
      if (first <= 1) break;
    }
  }
}

TEST_P(FormatSmallFloat, ShowsEveryBitOfANaN) {
  const std::uint32_t size = dtype_size(GetParam());
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << (8 * size); ++bits) {
    if (!std::isnan(test::naive_decode(GetParam(), bits))) continue;
    const std::string text = format_value(GetParam(), bits);
    ASSERT_EQ(text.size(), 7 + 2 * size) << text;
    ASSERT_EQ(text.substr(0, 6), "nan(0x");
    ASSERT_EQ(std::strtoull(text.c_str() + 4, nullptr, 16), bits);
  }
}

TEST(FormatValue, ReadsBackEveryKindOfFloatAndDouble) {
  auto rng = test::test_rng(1);
  for (int i = 0; i < 200000; ++i) {
    const std::uint64_t bits = rng();
    const auto narrow = static_cast<std::uint32_t>(bits);
    const std::string text32 = format_value(DType::f32, narrow);
    const std::string text64 = format_value(DType::f64, bits);
    if (!std::isnan(std::bit_cast<float>(narrow))) {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(std::strtof(text32.c_str(), nullptr)), narrow)
          << text32;
    } else {
      ASSERT_EQ(std::strtoull(text32.c_str() + 4, nullptr, 16), narrow) << text32;
    }
    if (!std::isnan(std::bit_cast<double>(bits))) {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(std::strtod(text64.c_str(), nullptr)), bits) << text64;
    }
  }
}

TEST(FormatValue, NamesWhatHasNoDigits) {
  EXPECT_EQ(format_value(DType::f32, 0x7fc00001), "nan(0x7fc00001)");
  EXPECT_EQ(format_value(DType::f64, 0xfff8000000000000), "nan(0xfff8000000000000)");
  EXPECT_EQ(format_value(DType::bf16, 0x7f80), "inf");
  EXPECT_EQ(format_value(DType::f16, 0xfc00), "-inf");
  EXPECT_EQ(format_value(DType::f32, 0x80000000), "-0");
  EXPECT_EQ(format_value(DType::f8e4m3, 0), "0");
}

TEST(FormatValue, IsShort) {
  EXPECT_EQ(format_value(DType::f16, 0x2e66), "0.1");
  EXPECT_EQ(format_value(DType::bf16, 0x3f80), "1");
  EXPECT_EQ(format_value(DType::f32, std::bit_cast<std::uint32_t>(0.1f)), "0.1");
  EXPECT_EQ(format_value(DType::f32, std::bit_cast<std::uint32_t>(16777216.0f)), "16777216");
}

TEST(FormatValue, PrintsIntegersAndBooleans) {
  EXPECT_EQ(format_value(DType::i8, 0x80), "-128");
  EXPECT_EQ(format_value(DType::u8, 0x80), "128");
  EXPECT_EQ(format_value(DType::i16, 0xffff), "-1");
  EXPECT_EQ(format_value(DType::u16, 0xffff), "65535");
  EXPECT_EQ(format_value(DType::i32, 0x80000000), "-2147483648");
  EXPECT_EQ(format_value(DType::u32, 0x80000000), "2147483648");
  EXPECT_EQ(format_value(DType::i64, std::uint64_t{1} << 63), "-9223372036854775808");
  EXPECT_EQ(format_value(DType::u64, ~std::uint64_t{0}), "18446744073709551615");
  EXPECT_EQ(format_value(DType::boolean, 0), "false");
  EXPECT_EQ(format_value(DType::boolean, 1), "true");
  EXPECT_EQ(format_value(DType::boolean, 2), "bool(0x02)");
}

}  // namespace
}  // namespace foxhunt
