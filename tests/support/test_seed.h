// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <random>

namespace foxhunt::test {

// The seed of every random input: fixed, unless FOXHUNT_TEST_SEED overrides it. The first call
// registers a listener that prints the seed with every failure.
std::uint64_t test_seed();

// A generator of its own for each `stream`, so that tests do not depend on their order.
std::mt19937_64 test_rng(std::uint64_t stream);

}  // namespace foxhunt::test
