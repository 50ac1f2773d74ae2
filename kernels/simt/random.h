// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace foxhunt::simt {

// SplitMix64: a few instructions a draw, and every seed is as good as another.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  // In [0, n), n >= 1.
  std::uint32_t below(std::uint32_t n) {
    return static_cast<std::uint32_t>((next() >> 32) * n >> 32);
  }
  // In [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  bool chance(double p) { return p > 0 && unit() < p; }

 private:
  std::uint64_t state_;
};

// Another seed for another purpose.
inline std::uint64_t mix(std::uint64_t seed, std::uint64_t purpose) {
  Random random(seed * 0xd1342543de82ef95u + purpose);
  random.next();
  return random.next();
}

}  // namespace foxhunt::simt
