// SPDX-License-Identifier: MIT
#pragma once

// The few operations from which kernels/math builds everything, each correctly rounded by IEEE 754
// and so the same on every GPU and CPU. Under nvcc they are the _rn intrinsics, which no flag may
// fuse. A CPU's compiler has no such spelling, so the functions built on these keep a rule instead:
// a product is never an operand of an addition or subtraction, unless the product is exact. Then
// there is nothing that -ffp-contract could change.
//
// Needs neither the executor nor CUDA's headers: host code may include it alone.
#include <cstdint>

#ifdef __FAST_MATH__
#error "kernels/math needs IEEE arithmetic: compile without -ffast-math"
#endif

// Always inlined, so that each caller's copy is built with that caller's own flags.
#ifdef __CUDACC__
#define FOXHUNT_MATH __host__ __device__ __forceinline__
#else
#define FOXHUNT_MATH [[gnu::always_inline]] inline
#endif

namespace foxhunt::math {

#ifdef __CUDA_ARCH__

FOXHUNT_MATH float mul(float a, float b) { return __fmul_rn(a, b); }
FOXHUNT_MATH float add(float a, float b) { return __fadd_rn(a, b); }
FOXHUNT_MATH float div(float a, float b) { return __fdiv_rn(a, b); }
FOXHUNT_MATH float fma(float a, float b, float c) { return __fmaf_rn(a, b, c); }
FOXHUNT_MATH float sqrt(float x) { return __fsqrt_rn(x); }
FOXHUNT_MATH float round_to_even(float x) { return rintf(x); }
FOXHUNT_MATH float from_bits(std::uint32_t bits) { return __uint_as_float(bits); }
FOXHUNT_MATH std::uint32_t to_bits(float x) { return __float_as_uint(x); }

#else

FOXHUNT_MATH float mul(float a, float b) { return a * b; }
FOXHUNT_MATH float add(float a, float b) { return a + b; }
FOXHUNT_MATH float div(float a, float b) { return a / b; }
FOXHUNT_MATH float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
FOXHUNT_MATH float sqrt(float x) { return __builtin_sqrtf(x); }
FOXHUNT_MATH float round_to_even(float x) { return __builtin_rintf(x); }
FOXHUNT_MATH float from_bits(std::uint32_t bits) { return __builtin_bit_cast(float, bits); }
FOXHUNT_MATH std::uint32_t to_bits(float x) { return __builtin_bit_cast(std::uint32_t, x); }

#endif

FOXHUNT_MATH float absolute(float x) { return from_bits(to_bits(x) & 0x7fffffffu); }

// Gives `magnitude`, which must not be negative, the sign of `sign`.
FOXHUNT_MATH float with_sign(float magnitude, float sign) {
  return from_bits(to_bits(magnitude) | (to_bits(sign) & 0x80000000u));
}

FOXHUNT_MATH bool is_nan(float x) { return (to_bits(x) & 0x7fffffffu) > 0x7f800000u; }

// 2^n for -126 <= n <= 127.
FOXHUNT_MATH float power_of_two(int n) {
  return from_bits(static_cast<std::uint32_t>(n + 127) << 23);
}

}  // namespace foxhunt::math
