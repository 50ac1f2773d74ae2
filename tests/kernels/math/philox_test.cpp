// SPDX-License-Identifier: MIT
#include "kernels/math/philox.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <tuple>

#include "tests/support/test_seed.h"

namespace foxhunt::test {
namespace {

using math::PhiloxWords;
using math::RngPurpose;

std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t> tuple(PhiloxWords words) {
  return {words.x, words.y, words.z, words.w};
}

void expect_words(PhiloxWords words, PhiloxWords expected) {
  EXPECT_EQ(tuple(words), tuple(expected));
}

// Random123's kat_vectors, "philox4x32 10".
TEST(Philox, AnswersAsRandom123Publishes) {
  expect_words(math::philox4x32_10({0, 0, 0, 0}, 0, 0),
               {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  expect_words(
      math::philox4x32_10({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, 0xffffffff, 0xffffffff),
      {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  expect_words(
      math::philox4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0),
      {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST(Philox, PutsEachPartOfADrawWhereItsHeaderSays) {
  expect_words(math::philox(0x299f31d0a4093822, static_cast<RngPurpose>(0x03), 0x70734413198a2e,
                            0x85a308d3243f6a88),
               {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST(Philox, DrawsAnewForEverySeedPurposeStepAndIndex) {
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>> draws;
  const std::uint64_t values[] = {0, 1, 2, std::uint64_t{1} << 32, std::uint64_t{1} << 55};
  for (const auto seed : values) {
    for (const auto purpose : {RngPurpose::noisy_linear, RngPurpose::iqn_tau}) {
      for (const auto step : values) {
        for (const auto index : values) {
          draws.insert(tuple(math::philox(seed, purpose, step, index)));
        }
      }
    }
  }
  EXPECT_EQ(draws.size(), 5u * 2 * 5 * 5);
}

TEST(Philox, UniformsLieStrictlyBetween0And1) {
  EXPECT_EQ(math::uniform(0), std::ldexp(1.0f, -24));
  EXPECT_EQ(math::uniform(0xffffffff), 1.0f - std::ldexp(1.0f, -24));
  EXPECT_EQ(math::uniform(0x80000000), 0.5f + std::ldexp(1.0f, -24));
}

TEST(Philox, NormalsAreFiniteAtTheEndsOfTheWords) {
  for (const std::uint32_t radius : {0u, 1u, 0x7fffffffu, 0xffffffffu}) {
    for (const std::uint32_t angle : {0u, 1u, 0x40000000u, 0x80000000u, 0xffffffffu}) {
      const auto [first, second] = math::normals(radius, angle);
      EXPECT_LE(std::fabs(first), 6.8f);
      EXPECT_LE(std::fabs(second), 6.8f);
    }
  }
  EXPECT_GT(math::normals(0, 0).first, 6.7f);
}

// The mean of f over n draws lies within 5 standard deviations of its expectation: 1 in 1.7 million
// seeds fails.
TEST(Philox, NormalsHaveTheMomentsAndTailsOfANormal) {
  constexpr int kDraws = 250000;
  double sum = 0, squares = 0, fourths = 0, beyond_2 = 0, product = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const auto [a, b] = math::normals(math::philox(test_seed(), RngPurpose::test_input, 0, i));
    for (const float x : {a.first, a.second, b.first, b.second}) {
      const double z = x;
      sum += z, squares += z * z, fourths += z * z * z * z, beyond_2 += std::fabs(z) > 2;
    }
    product += a.first * a.second;
  }
  const double n = 4.0 * kDraws;
  const auto expect_mean = [](double mean, double expected, double deviation, double count) {
    EXPECT_LE(std::fabs(mean - expected), 5 * deviation / std::sqrt(count));
  };
  expect_mean(sum / n, 0, 1, n);
  expect_mean(squares / n, 1, std::sqrt(2.0), n);
  expect_mean(fourths / n, 3, std::sqrt(96.0), n);
  expect_mean(beyond_2 / n, 0.0455003, std::sqrt(0.0455 * 0.9545), n);
  expect_mean(product / kDraws, 0, 1, kDraws);
}

// The same draws on every machine: what a recorded run's random buffers hang on.
TEST(Philox, NormalsHaveTheSameBitsEverywhere) {
  std::uint64_t hash = 1469598103934665603u;
  for (std::uint64_t i = 0; i < 100000; ++i) {
    const auto [a, b] = math::normals(math::philox(1, RngPurpose::noisy_linear, 2, i));
    for (const float x : {a.first, a.second, b.first, b.second}) {
      hash = (hash ^ math::to_bits(x)) * 1099511628211u;
    }
  }
  EXPECT_EQ(hash, 2650390102990223339u);
}

}  // namespace
}  // namespace foxhunt::test
