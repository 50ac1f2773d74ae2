// SPDX-License-Identifier: MIT
// What our own elementary functions cost a kernel on the executor, against libm's: each over the
// same inputs, turn by turn.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/math/elementary.h"
#include "tests/bench/row.h"
#include "tests/support/test_seed.h"

namespace foxhunt::bench {
namespace {

std::uint32_t sink = 0;  // keeps results alive

// Seconds a call.
template <class Function>
double seconds(const std::vector<float>& inputs, int rounds, Function function) {
  std::uint32_t bits = 0;
  const auto start = std::chrono::steady_clock::now();
  for (int round = 0; round < rounds; ++round) {
    for (const float x : inputs) bits ^= math::to_bits(function(x));
  }
  const auto end = std::chrono::steady_clock::now();
  sink = sink ^ bits;
  return std::chrono::duration<double>(end - start).count() /
         (static_cast<double>(inputs.size()) * rounds);
}

template <class Ours, class Libm>
void measure(const std::string& name, float low, float high, bool quick, Ours ours, Libm libm) {
  std::vector<float> inputs(4096);
  auto rng = test::test_rng(1);
  std::uniform_real_distribution<float> uniform(low, high);
  for (float& x : inputs) x = uniform(rng);
  std::vector<double> ratios, nanoseconds;
  for (int turn = 0; turn < (quick ? 3 : 51); ++turn) {
    const double mine = seconds(inputs, quick ? 1 : 20, ours);
    const double theirs = seconds(inputs, quick ? 1 : 20, libm);
    nanoseconds.push_back(mine * 1e9);
    ratios.push_back(mine / theirs);
  }
  print({"math::" + name, median(nanoseconds), "ns", {}, {}, true});
  print({"math::" + name + ", time against libm's", median(ratios), "x", {}, 1.0, true});
}

}  // namespace

int run(bool quick) {
  const auto sigmoid = [](float x) { return 1.0f / (1.0f + std::exp(-x)); };
  measure(
      "exp", -20, 20, quick, [](float x) { return math::exp(x); },
      [](float x) { return std::exp(x); });
  measure(
      "expm1", -3, 3, quick, [](float x) { return math::expm1(x); },
      [](float x) { return std::expm1(x); });
  measure(
      "log", 1e-3f, 1e3f, quick, [](float x) { return math::log(x); },
      [](float x) { return std::log(x); });
  measure(
      "log1p", -0.9f, 10, quick, [](float x) { return math::log1p(x); },
      [](float x) { return std::log1p(x); });
  measure(
      "tanh", -4, 4, quick, [](float x) { return math::tanh(x); },
      [](float x) { return std::tanh(x); });
  measure(
      "sigmoid", -8, 8, quick, [](float x) { return math::sigmoid(x); }, sigmoid);
  measure(
      "silu", -8, 8, quick, [](float x) { return math::silu(x); },
      [&](float x) { return x * sigmoid(x); });
  measure(
      "softplus", -8, 8, quick, [](float x) { return math::softplus(x); },
      [](float x) { return std::max(x, 0.0f) + std::log1p(std::exp(-std::fabs(x))); });
  measure(
      "rsqrt", 1e-3f, 1e3f, quick, [](float x) { return math::rsqrt(x); },
      [](float x) { return 1.0f / std::sqrt(x); });
  measure(
      "sin_pi", -2, 2, quick, [](float x) { return math::sin_pi(x); },
      [](float x) { return std::sin(3.14159274f * x); });
  measure(
      "cos_pi", -2, 2, quick, [](float x) { return math::cos_pi(x); },
      [](float x) { return std::cos(3.14159274f * x); });
  return 0;
}

}  // namespace foxhunt::bench

int main(int argc, char** argv) {
  return foxhunt::bench::run(argc > 1 && std::strcmp(argv[1], "--quick") == 0);
}
