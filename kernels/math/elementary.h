// SPDX-License-Identifier: MIT
#pragma once

// Elementary functions of one float, the same to the last bit on every GPU and CPU and from every
// compiler, because they consist of nothing but correctly rounded operations and integers (see
// portable.h). libm's and CUDA's own differ from each other, so kernels call these.
//
// Every NaN comes back as 0x7fffffff, the one that GPU arithmetic makes; a CPU's payloads never get
// out. Infinities and zeros behave as C's Annex F says, subnormals are full citizens, and nothing
// sets errno. The thread must not flush denormals.
//
// Accuracy: the largest error in ULP against libm in double, rounded up. Measured over all inputs
// for exp, expm1, log and log1p; for the others over all from 2^-13 to where they become constant
// or repeat themselves, over all subnormal results, and over every 101st of the rest.
//   exp      0.87  expm1    1.44  log      0.93  log1p    1.27
//   tanh     1.50  sigmoid  2.41  silu     2.40  softplus 1.65
//   rsqrt    1.50  sin_pi   0.97  cos_pi   0.88
// tests/kernels/math holds the expected hash of each function over a stride of its inputs, and over
// all of them (nightly).
//
// Methods, all in J.-M. Muller, "Elementary Functions: Algorithms and Implementation" (2016). exp,
// expm1: the argument is reduced by ln 2 in two parts, after Cody and Waite, "Software Manual for
// the Elementary Functions" (1980). log, log1p: m * 2^e with m in [3/4, 3/2), and a polynomial of
// log(1 + f) around 0; scaling x rather than 1 + x follows N. Juffa's log1pf. tanh: through expm1,
// as in fdlibm. sin_pi, cos_pi: what a half turn leaves of the argument is exact, so it is all that
// a polynomial has to see. The coefficients are weighted least squares over Chebyshev nodes,
// rounded one after the other, so that the later ones make up for the rounding of the earlier ones.
#include "kernels/math/portable.h"

namespace foxhunt::math {

namespace internal {

inline constexpr std::uint32_t kNanBits = 0x7fffffffu, kInfinityBits = 0x7f800000u;
inline constexpr std::uint32_t kSmallestNormalBits = 0x00800000u;

FOXHUNT_MATH float nan() { return from_bits(kNanBits); }
FOXHUNT_MATH float infinity() { return from_bits(kInfinityBits); }

// e^x = e^r * 2^n with |r| < 0.347 and e^r = 1 + r + r^2 q, for |x| < 2^21.
struct Exponential {
  float r, q;
  int n;
};

FOXHUNT_MATH Exponential exponential(float x) {
  // Adding 1.5 * 2^23 leaves x / ln 2, rounded to an integer, in the low bits.
  constexpr float kMagic = 12582912.0f;
  const float shifted = fma(x, 1.44269504f, kMagic);
  const int n = static_cast<int>(to_bits(shifted)) - static_cast<int>(0x4b400000u);
  const float k = add(shifted, -kMagic);
  float r = fma(k, -0.693145752f, x);
  r = fma(k, -1.42860677e-6f, r);
  float p = 0.000199584625f;
  p = fma(p, r, 0.00139337033f);
  p = fma(p, r, 0.00833319221f);
  p = fma(p, r, 0.0416664779f);
  p = fma(p, r, 0.166666672f);
  p = fma(p, r, 0.5f);
  return {r, p, n};
}

// 1 + r + r^2 q
FOXHUNT_MATH float exponential_of_r(Exponential e) { return fma(fma(e.q, e.r, 1.0f), e.r, 1.0f); }

// The halves of 2^n, -252 <= n <= 254. Multiplying by one and then the other rounds at most once:
// the first product is normal, and only the second can fall among the subnormals.
FOXHUNT_MATH float first_half(int n) { return power_of_two(n >> 1); }
FOXHUNT_MATH float second_half(int n) { return power_of_two(n - (n >> 1)); }

// log(1 + f) for f in [-1/4, 1/2].
FOXHUNT_MATH float log_of_one_plus(float f) {
  float p = 0.0376616083f;
  p = fma(p, f, -0.0921601802f);
  p = fma(p, f, 0.118226431f);
  p = fma(p, f, -0.127594739f);
  p = fma(p, f, 0.14264226f);
  p = fma(p, f, -0.166499898f);
  p = fma(p, f, 0.199998721f);
  p = fma(p, f, -0.250003994f);
  p = fma(p, f, 0.333333403f);
  p = fma(p, f, -0.49999997f);
  return fma(mul(f, f), p, f);
}

inline constexpr float kLn2 = 0.693147182f;
inline constexpr std::uint32_t kThreeQuartersBits = 0x3f400000u;

// x = m * 2^e with m in [3/4, 3/2), for positive normal x: the bits of 2^e, less those of 1.
FOXHUNT_MATH std::uint32_t exponent_bits(float x) {
  return (to_bits(x) - kThreeQuartersBits) & 0xff800000u;
}
FOXHUNT_MATH float exponent(std::uint32_t bits) {
  return static_cast<float>(static_cast<std::int32_t>(bits) >> 23);
}

// x reduced to r in [-1/4, 1/4] with x = r + n/2, exact; only n's last two bits are kept.
struct HalfTurns {
  float r;
  std::uint32_t n;
};

FOXHUNT_MATH HalfTurns half_turns(float x) {  // |x| < 2^24
  const float n = round_to_even(mul(2.0f, x));
  return {fma(n, -0.5f, x), static_cast<std::uint32_t>(static_cast<std::int32_t>(n))};
}

// Below this, 1 + e^x is 1 and e^-x is about to overflow.
inline constexpr float kSiluIsTiny = -80.0f;

// sin(pi r) and cos(pi r) for |r| <= 1/4.
FOXHUNT_MATH float sin_pi_core(float r) {
  const float z = mul(r, r);
  float p = 0.0796767101f;
  p = fma(p, z, -0.599032164f);
  p = fma(p, z, 2.55015588f);
  p = fma(p, z, -5.16771269f);
  p = fma(p, z, -8.74227766e-8f);  // what pi has beyond its float
  return fma(r, 3.14159274f, mul(r, p));
}
FOXHUNT_MATH float cos_pi_core(float r) {
  const float z = mul(r, r);
  float p = 0.229549706f;
  p = fma(p, z, -1.33481622f);
  p = fma(p, z, 4.05869818f);
  p = fma(p, z, -4.93480206f);
  return fma(p, z, 1.0f);
}

}  // namespace internal

FOXHUNT_MATH float exp(float x) {
  if (absolute(x) < 87.0f) {  // most: 2^n is a normal number
    const auto e = internal::exponential(x);
    return mul(internal::exponential_of_r(e), power_of_two(e.n));
  }
  if (is_nan(x)) return internal::nan();
  if (x > 88.72284f) return internal::infinity();
  if (x < -103.97208f) return 0.0f;
  const auto e = internal::exponential(x);
  return mul(mul(internal::exponential_of_r(e), internal::first_half(e.n)),
             internal::second_half(e.n));
}

// e^x - 1, accurate near 0 too.
FOXHUNT_MATH float expm1(float x) {
  if (is_nan(x)) return internal::nan();
  if (x > 88.72284f) return internal::infinity();
  if (x < -17.5f) return -1.0f;
  if (absolute(x) < 2.98023224e-8f) return x;
  const auto [r, q, n] = internal::exponential(x);
  const float tail = fma(mul(r, r), q, r);
  // 2^n itself may be too large; half of it is not.
  const float half = power_of_two(n - 1);
  return mul(2.0f, fma(tail, half, add(half, -0.5f)));
}

FOXHUNT_MATH float log(float x) {
  float e = 0.0f;
  if (to_bits(x) - internal::kSmallestNormalBits >= 0x7f000000u) {  // not positive and normal
    if (is_nan(x) || x < 0.0f) return internal::nan();
    if (x == 0.0f) return -internal::infinity();
    if (to_bits(x) == internal::kInfinityBits) return x;
    x = mul(x, 8388608.0f);
    e = -23.0f;
  }
  const std::uint32_t bits = internal::exponent_bits(x);
  e = add(e, internal::exponent(bits));
  const float f = add(from_bits(to_bits(x) - bits), -1.0f);
  return fma(e, internal::kLn2, internal::log_of_one_plus(f));
}

// log(1 + x), accurate near 0 too.
FOXHUNT_MATH float log1p(float x) {
  if (is_nan(x) || x < -1.0f) return internal::nan();
  if (x == -1.0f) return -internal::infinity();
  if (absolute(x) < 2.98023224e-8f) return x;
  if (x > 1e10f) return log(x);
  const std::uint32_t bits = internal::exponent_bits(add(1.0f, x));
  const float scale = from_bits(0x3f800000u - bits);  // 2^-e
  // (1 + x) 2^-e - 1 without forming 1 + x, whose rounding would be seen.
  const float f = fma(x, scale, add(scale, -1.0f));
  return fma(internal::exponent(bits), internal::kLn2, internal::log_of_one_plus(f));
}

FOXHUNT_MATH float tanh(float x) {
  if (is_nan(x)) return internal::nan();
  const float a = absolute(x);
  if (a > 9.1f) return with_sign(1.0f, x);
  if (a < 0.55f) {
    const float z = mul(a, a);
    float p = 0.00227353093f;
    p = fma(p, z, -0.00829828531f);
    p = fma(p, z, 0.0217414517f);
    p = fma(p, z, -0.0539527647f);
    p = fma(p, z, 0.133332416f);
    p = fma(p, z, -0.333333313f);
    return with_sign(fma(mul(a, z), p, a), x);
  }
  const float e = expm1(mul(2.0f, a));
  return with_sign(div(e, add(e, 2.0f)), x);
}

// 1 / (1 + e^-x)
FOXHUNT_MATH float sigmoid(float x) {
  if (is_nan(x)) return internal::nan();
  const float e = exp(-absolute(x));
  return div(x < 0.0f ? e : 1.0f, add(1.0f, e));
}

// x * sigmoid(x), also where sigmoid(x) alone would have underflowed.
FOXHUNT_MATH float silu(float x) {
  if (is_nan(x)) return internal::nan();
  if (x >= internal::kSiluIsTiny) return div(x, add(1.0f, exp(-x)));
  if (x < -110.0f) return -0.0f;
  const auto e = internal::exponential(x);
  const float first = mul(internal::exponential_of_r(e), internal::first_half(e.n));
  return mul(mul(x, first), internal::second_half(e.n));
}

// log(1 + e^x)
FOXHUNT_MATH float softplus(float x) {
  if (is_nan(x)) return internal::nan();
  const float tail = log1p(exp(-absolute(x)));
  return x > 0.0f ? add(x, tail) : tail;
}

// 1 / sqrt(x)
FOXHUNT_MATH float rsqrt(float x) {
  if (is_nan(x) || x < 0.0f) return internal::nan();
  return div(1.0f, sqrt(x));
}

// sin(pi x); exact zeros, of x's sign, at every integer.
FOXHUNT_MATH float sin_pi(float x) {
  if (!(absolute(x) < 8388608.0f)) {  // an integer, an infinity or a NaN
    return to_bits(absolute(x)) >= internal::kInfinityBits ? internal::nan() : with_sign(0.0f, x);
  }
  const auto [r, n] = internal::half_turns(x);
  const float y = (n & 1u) != 0 ? internal::cos_pi_core(r) : internal::sin_pi_core(r);
  if ((n & 1u) == 0 && r == 0.0f) return with_sign(0.0f, x);
  return (n & 2u) != 0 ? -y : y;
}

// cos(pi x); exact +0 at every integer and a half.
FOXHUNT_MATH float cos_pi(float x) {
  if (!(absolute(x) < 16777216.0f)) {  // an even integer, an infinity or a NaN
    return to_bits(absolute(x)) >= internal::kInfinityBits ? internal::nan() : 1.0f;
  }
  const auto [r, n] = internal::half_turns(x);
  if ((n & 1u) != 0 && r == 0.0f) return 0.0f;
  const float y = (n & 1u) != 0 ? internal::sin_pi_core(r) : internal::cos_pi_core(r);
  return ((n + 1u) & 2u) != 0 ? -y : y;
}

}  // namespace foxhunt::math
