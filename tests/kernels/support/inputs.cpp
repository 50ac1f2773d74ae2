// SPDX-License-Identifier: MIT
#include "tests/kernels/support/inputs.h"

#include <cmath>
#include <random>

#include "tests/support/test_seed.h"

namespace foxhunt::test {

std::vector<float> random_floats(std::size_t size, std::uint64_t stream, int octaves) {
  auto rng = test_rng(stream);
  std::uniform_real_distribution<float> mantissa(1.0f, 2.0f);
  std::uniform_int_distribution<int> exponent(-octaves + 1, 0), sign(0, 1);
  std::vector<float> values(size);
  for (float& value : values) {
    value = std::ldexp(mantissa(rng), exponent(rng));
    if (sign(rng) == 1) value = -value;
  }
  return values;
}

std::vector<float> random_normals(std::size_t size, std::uint64_t stream) {
  auto rng = test_rng(stream);
  std::normal_distribution<float> normal;
  std::vector<float> values(size);
  for (float& value : values) value = normal(rng);
  return values;
}

std::vector<int> random_below(std::size_t size, int limit, std::uint64_t stream) {
  auto rng = test_rng(stream);
  std::uniform_int_distribution<int> below(0, limit - 1);
  std::vector<int> values(size);
  for (int& value : values) value = below(rng);
  return values;
}

std::vector<double> to_double(const std::vector<float>& values) {
  return {values.begin(), values.end()};
}

std::vector<double> absolute(std::vector<double> values) {
  for (double& value : values) value = std::fabs(value);
  return values;
}

}  // namespace foxhunt::test
