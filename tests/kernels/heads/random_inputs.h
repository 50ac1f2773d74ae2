// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/math/philox.h"
#include "tests/support/test_seed.h"

namespace foxhunt::heads_test {

// Inputs of a test, from FOXHUNT_TEST_SEED and a number that is the test's own. Made by our own
// elementary functions, so that they are the same bits on every machine.
class RandomInputs {
 public:
  explicit RandomInputs(std::uint64_t stream) : stream_(stream) {}

  std::vector<float> normal(std::size_t count, float scale = 1) {
    return filled<float>(count, [&](math::PhiloxWords w) {
      return math::mul(scale, math::normals(w.x, w.y).first);
    });
  }
  std::vector<float> uniform(std::size_t count, float low, float high) {
    return filled<float>(
        count, [&](math::PhiloxWords w) { return math::fma(high - low, math::uniform(w.x), low); });
  }
  // Integers in [low, high].
  std::vector<int> integers(std::size_t count, int low, int high) {
    const auto choices = static_cast<std::uint32_t>(high - low + 1);
    return filled<int>(count,
                       [&](math::PhiloxWords w) { return low + static_cast<int>(w.x % choices); });
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
  template <class T, class Of>
  std::vector<T> filled(std::size_t count, Of of) {
    std::vector<T> values(count);
    for (T& v : values) {
      v = of(math::philox(test::test_seed(), math::RngPurpose::test_input, stream_, next_++));
    }
    return values;
  }

  std::uint64_t stream_, next_ = 0;
};

}  // namespace foxhunt::heads_test
