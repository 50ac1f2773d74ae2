// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "tests/support/test_seed.h"

namespace foxhunt::heads_test {

// Inputs of a test, from FOXHUNT_TEST_SEED and a number that is the test's own.
class RandomInputs {
 public:
  explicit RandomInputs(std::uint64_t stream) : rng_(test::test_rng(stream)) {}

  std::vector<float> normal(std::size_t count, float scale = 1) {
    std::normal_distribution<float> draw(0, scale);
    return filled(count, [&] { return draw(rng_); });
  }
  std::vector<float> uniform(std::size_t count, float low, float high) {
    std::uniform_real_distribution<float> draw(low, high);
    return filled(count, [&] { return draw(rng_); });
  }
  // Integers in [low, high].
  std::vector<int> integers(std::size_t count, int low, int high) {
    std::uniform_int_distribution<int> draw(low, high);
    std::vector<int> values(count);
    for (int& v : values) v = draw(rng_);
    return values;
  }
  // Rows of `width` probabilities.
  std::vector<float> distributions(std::size_t rows, std::size_t width) {
    std::vector<float> p = uniform(rows * width, 0.1f, 1.0f);
    for (std::size_t r = 0; r < rows; ++r) {
      float sum = 0;
      for (std::size_t i = 0; i < width; ++i) sum += p[r * width + i];
      for (std::size_t i = 0; i < width; ++i) p[r * width + i] /= sum;
    }
    return p;
  }

 private:
  template <class Draw>
  static std::vector<float> filled(std::size_t count, Draw draw) {
    std::vector<float> values(count);
    for (float& v : values) v = draw();
    return values;
  }

  std::mt19937_64 rng_;
};

}  // namespace foxhunt::heads_test
