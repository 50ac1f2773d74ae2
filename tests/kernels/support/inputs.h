// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace foxhunt::test {

// Random inputs of test_seed(); another `stream` gives other values.

// Of both signs, with magnitudes spread over `octaves` powers of two below 2: sums of them round
// differently in every order.
std::vector<float> random_floats(std::size_t size, std::uint64_t stream, int octaves = 8);

// Standard normals.
std::vector<float> random_normals(std::size_t size, std::uint64_t stream);

// From 0 to limit - 1.
std::vector<int> random_below(std::size_t size, int limit, std::uint64_t stream);

std::vector<double> to_double(const std::vector<float>& values);
std::vector<double> absolute(std::vector<double> values);

}  // namespace foxhunt::test
