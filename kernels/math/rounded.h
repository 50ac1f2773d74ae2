// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

namespace foxhunt::oracle {

// Unit roundoff of f32: one rounding to nearest changes a value v by at most kUnitRoundoff * |v|.
inline constexpr double kUnitRoundoff = 0x1p-24;

// Our elementary functions stay within 3 ULP (kernels/math/elementary.h), an ULP being at most 2u.
inline constexpr double kElementaryError = 6.0;

// A value in double, with a bound on how far a computation in f32 that takes the same steps may
// stray from it: `error` counts multiples of kUnitRoundoff, to first order. Running error analysis
// (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., SIAM 2002, section 3.3).
//
// An oracle written as a template over its number type runs with `double` to give values, and with
// `Rounded` to give the bound a kernel is judged by: for a sum it is u * the sum of |partial sums|,
// for a chain of operations each one's errors carried through its derivative. It knows
// cancellation, which a bound relative to the result does not.
struct Rounded {
  double value = 0.0;
  double error = 0.0;

  Rounded() = default;
  Rounded(double exact) : value(exact) {}  // an f32 input, a small constant
  Rounded(double v, double e) : value(v), error(e) {}

  Rounded& operator+=(const Rounded& o) { return *this = *this + o; }
  Rounded& operator-=(const Rounded& o) { return *this = *this - o; }

  friend Rounded operator-(const Rounded& a) { return {-a.value, a.error}; }
  friend Rounded operator+(const Rounded& a, const Rounded& b) {
    const double v = a.value + b.value;
    return {v, a.error + b.error + std::abs(v)};
  }
  friend Rounded operator-(const Rounded& a, const Rounded& b) { return a + -b; }
  friend Rounded operator*(const Rounded& a, const Rounded& b) {
    const double v = a.value * b.value;
    return {v, std::abs(a.value) * b.error + std::abs(b.value) * a.error + std::abs(v)};
  }
  friend Rounded operator/(const Rounded& a, const Rounded& b) {
    const double v = a.value / b.value;
    return {v, (a.error + std::abs(v) * b.error) / std::abs(b.value) + std::abs(v)};
  }
  friend bool operator<(const Rounded& a, const Rounded& b) { return a.value < b.value; }
  friend bool operator>(const Rounded& a, const Rounded& b) { return b < a; }

  // What the heads' oracles ask of a number besides.
  friend double value_of(const Rounded& a) { return a.value; }
  friend Rounded abs(const Rounded& a) { return {std::abs(a.value), a.error}; }
  friend Rounded cos_pi(const Rounded& a) {
    const double turn = std::numbers::pi * a.value, v = std::cos(turn);
    return {v,
            std::numbers::pi * std::abs(std::sin(turn)) * a.error + kElementaryError * std::abs(v)};
  }
};

inline Rounded exp(const Rounded& x) {
  const double v = std::exp(x.value);
  return {v, v * (x.error + kElementaryError)};
}
inline Rounded log(const Rounded& x) {
  const double v = std::log(x.value);
  return {v, x.error / std::abs(x.value) + kElementaryError * std::abs(v)};
}
inline Rounded sqrt(const Rounded& x) {
  const double v = std::sqrt(x.value);
  return {v, (v > 0 ? x.error / (2 * v) : 0.0) + v};
}
inline Rounded tanh(const Rounded& x) {
  const double v = std::tanh(x.value);
  return {v, (1 - v * v) * x.error + kElementaryError * std::abs(v)};
}

inline double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }
inline Rounded sigmoid(const Rounded& x) {
  const double v = sigmoid(x.value);
  return {v, v * (1 - v) * x.error + kElementaryError * v};
}

// log(1 + exp(x)), without overflow.
inline double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }
inline Rounded softplus(const Rounded& x) {
  const double v = softplus(x.value);
  return {v, sigmoid(x.value) * x.error + 2 * kElementaryError * v};
}

// How far a kernel's `got` lies from the oracle's value, in units of its running error: at most 1
// for a correct kernel whose sums run in the oracle's order, up to second-order terms. Infinite for
// NaN and for any difference where no error is allowed.
inline double distance_in_bounds(float got, const Rounded& oracle) {
  const double difference = std::abs(static_cast<double>(got) - oracle.value);
  if (difference == 0.0) return 0.0;
  const double bound = kUnitRoundoff * oracle.error + 0x1p-126;  // below it f32 loses digits
  const double quotient = difference / bound;
  return quotient <= HUGE_VAL ? quotient : HUGE_VAL;
}

}  // namespace foxhunt::oracle
