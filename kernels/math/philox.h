// SPDX-License-Identifier: MIT
#pragma once

// Random numbers from a counter: Philox4x32-10 of J. Salmon, M. Moraes, R. Dror and D. Shaw,
// "Parallel random numbers: as easy as 1, 2, 3" (SC 2011).
//
// A draw is a function of (seed, purpose, step, index) and of nothing else: not of the thread that
// asks, nor of the order or number of other draws. So no schedule can change it, and a run resumes
// at any step without a saved state. `index` numbers the draws of one purpose in one step; what it
// means (an element, a row) is the caller's to say.
#include <cstdint>

#include "kernels/math/elementary.h"

namespace foxhunt::math {

// What a draw is for. Two purposes never share a draw. In recorded runs: never renumber or reuse.
enum class RngPurpose : std::uint32_t {
  initial_weights = 1,
  noisy_linear = 2,
  iqn_tau = 3,
  replay_sample = 4,
  action_sample = 5,
  environment = 6,
  test_input = 7,
  target_noise = 8,  // the noise of the target network's own NoisyLinear
  target_tau = 9,
};

// 128 random bits.
struct PhiloxWords {
  std::uint32_t x, y, z, w;
};

namespace internal {
FOXHUNT_MATH std::uint32_t high_half(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>((static_cast<std::uint64_t>(a) * b) >> 32);
}
}  // namespace internal

// The bare function: ten rounds over a 128-bit counter with a 64-bit key.
FOXHUNT_MATH PhiloxWords philox4x32_10(PhiloxWords counter, std::uint32_t key0,
                                       std::uint32_t key1) {
  constexpr std::uint32_t kMultiplier0 = 0xd2511f53u, kMultiplier1 = 0xcd9e8d57u;
  for (int round = 0; round < 10; ++round) {
    counter = PhiloxWords{
        internal::high_half(kMultiplier1, counter.z) ^ counter.y ^ key0, kMultiplier1 * counter.z,
        internal::high_half(kMultiplier0, counter.x) ^ counter.w ^ key1, kMultiplier0 * counter.x};
    key0 += 0x9e3779b9u;  // the golden ratio
    key1 += 0xbb67ae85u;  // sqrt(3) - 1
  }
  return counter;
}

// The draw. Counter: index (64 bits), the low 32 bits of step, purpose (8 bits) above step's next
// 24 bits. Key: seed. So step < 2^56, and purposes stay below 256.
FOXHUNT_MATH PhiloxWords philox(std::uint64_t seed, RngPurpose purpose, std::uint64_t step,
                                std::uint64_t index) {
  const auto low = [](std::uint64_t v) { return static_cast<std::uint32_t>(v); };
  const auto high = [](std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); };
  return philox4x32_10(
      PhiloxWords{low(index), high(index), low(step),
                  (high(step) & 0x00ffffffu) | (static_cast<std::uint32_t>(purpose) << 24)},
      low(seed), high(seed));
}

// Uniform on the 2^23 midpoints of equal parts of (0, 1): never 0, never 1.
FOXHUNT_MATH float uniform(std::uint32_t word) {
  constexpr float kStep = 1.1920929e-7f;  // 2^-23; both operations below are exact
  return fma(static_cast<float>(word >> 9), kStep, 0.5f * kStep);
}

struct NormalPair {
  float first, second;
};

// Two independent standard normals from two words: G. Box and M. Muller, "A note on the generation
// of random normal deviates" (1958). None is larger than 6.8.
FOXHUNT_MATH NormalPair normals(std::uint32_t radius_word, std::uint32_t angle_word) {
  // In (0, 1], with small values finely spaced, because they make the tail.
  const float u = fma(static_cast<float>(radius_word), 2.3283064e-10f, 1.1641532e-10f);
  const float radius = sqrt(mul(-2.0f, log(u)));
  const float half_turns = mul(2.0f, uniform(angle_word));
  return {mul(radius, cos_pi(half_turns)), mul(radius, sin_pi(half_turns))};
}

// Four standard normals of one draw.
struct NormalQuad {
  NormalPair first, second;
};
FOXHUNT_MATH NormalQuad normals(PhiloxWords words) {
  return {normals(words.x, words.y), normals(words.z, words.w)};
}

}  // namespace foxhunt::math
