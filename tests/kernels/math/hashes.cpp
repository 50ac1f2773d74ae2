// SPDX-License-Identifier: MIT
#include "kernels/math/portable.h"
#include "tests/kernels/math/functions.h"

namespace foxhunt::test {

std::span<const Build> builds() {
  static const Build all[] = {{"as built", functions_as_built()},
                              {"contracted", functions_contracted()},
                              {"unoptimised", functions_unoptimised()}};
  return all;
}

std::uint64_t hash_results(float (*call)(float), std::uint32_t stride) {
  std::uint64_t hash = 1469598103934665603u;
  for (std::uint64_t bits = 0; bits >> 32 == 0; bits += stride) {
    const float result = call(math::from_bits(static_cast<std::uint32_t>(bits)));
    hash = (hash ^ math::to_bits(result)) * 1099511628211u;
  }
  return hash;
}

std::span<const ExpectedHash> expected_hashes() {
  static const ExpectedHash hashes[] = {
      {"exp", 0xf97a4167a57386f8, 0xe751df0a574d2a46},
      {"expm1", 0xcef6b04c7919154b, 0x89483355f7962a67},
      {"log", 0xc00dde266b7408a8, 0x8f2ba386593aea0c},
      {"log1p", 0xf0a6632d5f2d239c, 0xb5dbae1bf112071e},
      {"tanh", 0xa58d7d22d8aff719, 0x3c12cfc38741d5a3},
      {"sigmoid", 0x5ad37e3c803d1dce, 0x3799fb2997ed7aa6},
      {"silu", 0xa42be8588690212d, 0x23e4fa65a6443f09},
      {"softplus", 0xc05f7bab662cb21b, 0xf125e1f8ff72c022},
      {"rsqrt", 0xece6e3e449f958f6, 0x7c0f10c49f4ca4f3},
      {"sin_pi", 0x0e4a70cfb943500b, 0x3c3c685d006004f3},
      {"cos_pi", 0x4993ed21ce24c1f1, 0x39fc9127b3909a83},
  };
  return hashes;
}

}  // namespace foxhunt::test
