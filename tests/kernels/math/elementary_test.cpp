// SPDX-License-Identifier: MIT
#include "kernels/math/elementary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "tests/kernels/math/functions.h"
#include "tests/support/test_seed.h"

namespace foxhunt::test {
namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();
constexpr float kTiny = std::numeric_limits<float>::denorm_min();

struct Reference {
  const char* name;
  double (*exact)(double);
  double worst;  // ULP, as elementary.h states it, rounded up
};

double sin_pi_in_double(double x) {
  double r = std::remainder(x, 2.0);
  if (std::fabs(r) > 0.5) r = std::copysign(1.0, r) - r;
  return std::sin(M_PI * r);
}

const Reference kReferences[] = {
    {"exp", std::exp, 0.87},
    {"expm1", std::expm1, 1.44},
    {"log", std::log, 0.93},
    {"log1p", std::log1p, 1.27},
    {"tanh", std::tanh, 1.50},
    {"sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }, 2.41},
    {"silu", [](double x) { return x / (1 + std::exp(-x)); }, 2.40},
    {"softplus", [](double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); },
     1.65},
    {"rsqrt", [](double x) { return 1 / std::sqrt(x); }, 1.50},
    {"sin_pi", sin_pi_in_double, 0.97},
    {"cos_pi", [](double x) { return sin_pi_in_double(0.5 - std::fabs(std::remainder(x, 2.0))); },
     0.88},
};

// In units of the last place of a float at `exact`.
double error_in_ulp(float value, double exact) {
  if (!std::isfinite(static_cast<float>(exact))) {
    return value == static_cast<float>(exact) ? 0 : std::numeric_limits<double>::infinity();
  }
  int exponent = 0;
  std::frexp(exact, &exponent);
  return std::fabs(value - exact) / std::ldexp(1.0, std::max(exponent - 24, -149));
}

const Function& function(const char* name) {
  const auto all = functions_as_built();
  return *std::find_if(all.begin(), all.end(),
                       [&](const Function& f) { return std::string(name) == f.name; });
}

TEST(Elementary, GivesTheSameBitsFromEveryCompilerAndFlag) {
  ASSERT_EQ(expected_hashes().size(), functions_as_built().size());
  for (const Build& build : builds()) {
    for (std::size_t i = 0; i < build.functions.size(); ++i) {
      ASSERT_STREQ(build.functions[i].name, expected_hashes()[i].name);
      EXPECT_EQ(hash_results(build.functions[i].call, kStride), expected_hashes()[i].strided)
          << build.functions[i].name << ", " << build.name;
    }
  }
}

TEST(Elementary, IsAsAccurateAsItsHeaderSays) {
  for (const Reference& reference : kReferences) {
    const Function& f = function(reference.name);
    double worst = 0;
    float where = 0;
    for (std::uint64_t bits = 0; bits >> 32 == 0; bits += kStride) {
      const float x = math::from_bits(static_cast<std::uint32_t>(bits));
      const double exact = reference.exact(x);
      if (std::isnan(exact)) continue;  // the hash holds what NaNs become
      const double error = error_in_ulp(f.call(x), exact);
      if (!(error <= worst)) worst = error, where = x;
    }
    EXPECT_LE(worst, reference.worst) << reference.name << "(" << where << ")";
    EXPECT_GE(worst, 0.6 * reference.worst) << reference.name << ": is it measured at all?";
  }
}

TEST(Elementary, MakesOneNaNOfAll) {
  for (const Function& f : functions_as_built()) {
    for (const std::uint32_t bits : {0x7f800001u, 0x7fc12345u, 0xff800001u, 0xffc00000u}) {
      EXPECT_EQ(math::to_bits(f.call(math::from_bits(bits))), 0x7fffffffu) << f.name;
    }
  }
  for (const float x : {math::log(-1.0f), math::log1p(-2.0f), math::rsqrt(-kTiny),
                        math::sin_pi(kInfinite), math::cos_pi(-kInfinite)}) {
    EXPECT_EQ(math::to_bits(x), 0x7fffffffu);
  }
}

void expect_bits(float value, float expected) {
  EXPECT_EQ(math::to_bits(value), math::to_bits(expected)) << value << " against " << expected;
}

TEST(Elementary, KeepsItsLimitsAndSignsOfZero) {
  expect_bits(math::exp(-kInfinite), 0.0f);
  expect_bits(math::exp(kInfinite), kInfinite);
  expect_bits(math::exp(-103.9f), kTiny);
  expect_bits(math::expm1(-0.0f), -0.0f);
  expect_bits(math::expm1(-kInfinite), -1.0f);
  expect_bits(math::log(-0.0f), -kInfinite);
  expect_bits(math::log(kInfinite), kInfinite);
  expect_bits(math::log1p(-0.0f), -0.0f);
  expect_bits(math::log1p(-1.0f), -kInfinite);
  expect_bits(math::log1p(kInfinite), kInfinite);
  expect_bits(math::tanh(-0.0f), -0.0f);
  expect_bits(math::tanh(-kInfinite), -1.0f);
  expect_bits(math::sigmoid(-kInfinite), 0.0f);
  expect_bits(math::sigmoid(kInfinite), 1.0f);
  expect_bits(math::silu(-kInfinite), -0.0f);
  expect_bits(math::silu(kInfinite), kInfinite);
  expect_bits(math::silu(-0.0f), -0.0f);
  expect_bits(math::softplus(-kInfinite), 0.0f);
  expect_bits(math::softplus(kInfinite), kInfinite);
  expect_bits(math::rsqrt(0.0f), kInfinite);
  expect_bits(math::rsqrt(-0.0f), -kInfinite);
  expect_bits(math::rsqrt(kInfinite), 0.0f);
}

TEST(Elementary, TurnsExactlyAtQuarters) {
  for (const float n : {0.0f, 1.0f, 2.0f, 3.0f, 8388607.0f, 8388608.0f, 16777214.0f, 1e30f}) {
    expect_bits(math::sin_pi(n), 0.0f);
    expect_bits(math::sin_pi(-n), -0.0f);
    expect_bits(math::cos_pi(n), std::fmod(n, 2.0f) == 0 ? 1.0f : -1.0f);
    expect_bits(math::cos_pi(-n), math::cos_pi(n));
  }
  for (const float n : {0.0f, 1.0f, 2.0f, 3.0f, 4194302.0f}) {
    expect_bits(math::cos_pi(n + 0.5f), 0.0f);
    expect_bits(math::sin_pi(n + 0.5f), std::fmod(n, 2.0f) == 0 ? 1.0f : -1.0f);
  }
}

}  // namespace
}  // namespace foxhunt::test
