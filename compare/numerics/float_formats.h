// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

// Inlined for certain: the kernels of difference.h are compiled for several processors, and a
// shared out-of-line copy would carry one processor's instructions to all of them.
#define FOXHUNT_INLINE [[gnu::always_inline]] inline

namespace foxhunt {

// The float formats as bit patterns. All are sign-magnitude: below the sign bit, magnitudes are
// ordered as integers, first the finite ones, then the infinity where there is one, then the NaNs.
//
//   Bits                the element as an unsigned integer
//   kMagnitude          all bits but the sign
//   kLargestFinite      magnitude of the largest finite value
//   kLargestNumber      the same, infinity included: whatever is above is a NaN
//   decode(bits)        the value, exactly; infinities and NaNs too
//   decode_finite(bits) the same for finite values only; branch-free
template <class B, unsigned kMantissaBits, unsigned kExponentBits, bool kHasInfinity = true>
struct FloatFormat {
  using Bits = B;
  static constexpr unsigned kMantissa = kMantissaBits;
  static constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  static constexpr Bits kSign = static_cast<Bits>(Bits{1} << (kMantissaBits + kExponentBits));
  static constexpr Bits kMagnitude = static_cast<Bits>(kSign - 1);
  static constexpr Bits kInfinity =
      static_cast<Bits>(kMagnitude & ~((Bits{1} << kMantissaBits) - 1));
  static constexpr Bits kLargestFinite =
      static_cast<Bits>(kHasInfinity ? kInfinity - 1 : kMagnitude - 1);
  static constexpr Bits kLargestNumber =
      static_cast<Bits>(kHasInfinity ? kInfinity : kMagnitude - 1);
};

struct Float64 : FloatFormat<std::uint64_t, 52, 11> {
  FOXHUNT_INLINE static constexpr double decode_finite(std::uint64_t bits) noexcept {
    return __builtin_bit_cast(double, bits);
  }
  FOXHUNT_INLINE static constexpr double decode(std::uint64_t bits) noexcept {
    return decode_finite(bits);
  }
};

struct Float32 : FloatFormat<std::uint32_t, 23, 8> {
  FOXHUNT_INLINE static constexpr float decode_finite(std::uint32_t bits) noexcept {
    return __builtin_bit_cast(float, bits);
  }
  FOXHUNT_INLINE static constexpr float decode(std::uint32_t bits) noexcept {
    return decode_finite(bits);
  }
};

struct BFloat16 : FloatFormat<std::uint16_t, 7, 8> {
  FOXHUNT_INLINE static constexpr float decode_finite(std::uint16_t bits) noexcept {
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits) << 16);
  }
  FOXHUNT_INLINE static constexpr float decode(std::uint16_t bits) noexcept {
    return decode_finite(bits);
  }
};

// A format whose every value, denormals too, is a normal number as f32.
template <class B, unsigned kMantissaBits, unsigned kExponentBits, bool kHasInfinity = true>
struct SmallFloat : FloatFormat<B, kMantissaBits, kExponentBits, kHasInfinity> {
  using Base = FloatFormat<B, kMantissaBits, kExponentBits, kHasInfinity>;

  static constexpr int kShift = 23 - kMantissaBits;
  static constexpr int kSignShift = 31 - kMantissaBits - kExponentBits;
  static constexpr int kOneExponent = 1 << 23;
  static constexpr int kRebias = (127 - Base::kBias) * kOneExponent;
  static constexpr float kSmallestNormal = __builtin_bit_cast(float, kRebias + kOneExponent);

  FOXHUNT_INLINE static constexpr float decode_finite(B bits) noexcept {
    const int magnitude = bits & Base::kMagnitude;
    const int rebased = (magnitude << kShift) + kRebias;
    // A denormal m/2^k * 2^e is (1 + m/2^k) * 2^e - 2^e: no f32 denormal appears on the way, which
    // would cost a trap into microcode.
    const float denormal = __builtin_bit_cast(float, rebased + kOneExponent) - kSmallestNormal;
    const int value =
        magnitude < (1 << kMantissaBits) ? __builtin_bit_cast(int, denormal) : rebased;
    return with_sign(bits, value);
  }

  FOXHUNT_INLINE static constexpr float decode(B bits) noexcept {
    const int magnitude = bits & Base::kMagnitude;
    if (magnitude <= Base::kLargestFinite) return decode_finite(bits);
    // Infinity has no mantissa bits; a NaN keeps its payload at the top of the wider mantissa.
    return with_sign(bits, 0x7f800000 | ((magnitude << kShift) & 0x007fffff));
  }

 private:
  FOXHUNT_INLINE static constexpr float with_sign(B bits, int magnitude) noexcept {
    const unsigned sign = static_cast<unsigned>(bits & Base::kSign) << kSignShift;
    return __builtin_bit_cast(float, static_cast<unsigned>(magnitude) | sign);
  }
};

using Float16 = SmallFloat<std::uint16_t, 10, 5>;
using Float8E4M3 = SmallFloat<std::uint8_t, 3, 4, false>;
using Float8E5M2 = SmallFloat<std::uint8_t, 2, 5>;

static_assert(Float8E4M3::kLargestNumber == 0x7e && Float8E5M2::kLargestNumber == 0x7c);
static_assert(Float8E4M3::decode(0x7e) == 448 && Float8E5M2::decode(0x7b) == 57344);

}  // namespace foxhunt
