// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

namespace foxhunt::test {

// One elementary function as one build of the tests compiled it.
struct Function {
  const char* name;
  float (*call)(float);
};

// The same functions from the same header, built as everything else is; optimised and with leave to
// contract; not optimised at all.
std::span<const Function> functions_as_built();
std::span<const Function> functions_contracted();
std::span<const Function> functions_unoptimised();

struct Build {
  const char* name;
  std::span<const Function> functions;
};
std::span<const Build> builds();

// FNV-1a, a word at a time, over the results for the inputs with the bits 0, stride, 2 * stride ...
// below 2^32.
std::uint64_t hash_results(float (*call)(float), std::uint32_t stride);

struct ExpectedHash {
  const char* name;
  std::uint64_t strided;  // every kStride-th input
  std::uint64_t all;      // every input
};
inline constexpr std::uint32_t kStride = 4099;  // a prime: all kinds of exponents and mantissas
std::span<const ExpectedHash> expected_hashes();

}  // namespace foxhunt::test
