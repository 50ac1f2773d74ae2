// SPDX-License-Identifier: MIT
#pragma once

// Host code: a number that knows how large the terms were of which it was made. An oracle is
// written once for any Real; with double it is the reference, with Conditioned it also says how far
// float arithmetic may stray from that reference.
#include <algorithm>
#include <cmath>
#include <numbers>

namespace foxhunt {

// `terms` is the sum of the absolute values of the terms that were added up, each carried to the
// result by the derivatives on its way there. For a dot product it is the sum of |a_i b_i|, for
// log(that) the same over the sum, plus |log|. To first order, arithmetic with unit round-off u
// gives value +- c u terms, where c counts roundings on the longest way: a few for each operation
// in a chain, and for the n-1 additions of a sum typically about 1, at worst n-1.
//
// Numbers made from a double stand for exact inputs. Comparisons look at values only.
struct Conditioned {
  double value = 0;
  double terms = 0;

  Conditioned() = default;
  Conditioned(double exact) : value(exact) {}
  Conditioned(double v, double t) : value(v), terms(t) {}

  // As a term of a sum.
  double as_term() const { return std::max(terms, std::abs(value)); }

  // This value by a function with that derivative: what was uncertain stays so, and one rounding.
  Conditioned through(double result, double derivative) const {
    return {result, std::abs(derivative) * terms + std::abs(result)};
  }

  friend Conditioned operator-(Conditioned a) { return {-a.value, a.terms}; }
  friend Conditioned operator+(Conditioned a, Conditioned b) {
    return {a.value + b.value, a.as_term() + b.as_term()};
  }
  friend Conditioned operator-(Conditioned a, Conditioned b) { return a + -b; }
  friend Conditioned operator*(Conditioned a, Conditioned b) {
    const double product = a.value * b.value;
    return {product, std::abs(a.value) * b.terms + std::abs(b.value) * a.terms + std::abs(product)};
  }
  friend Conditioned operator/(Conditioned a, Conditioned b) {
    const double quotient = a.value / b.value;
    return {quotient,
            (a.terms + std::abs(quotient) * b.terms) / std::abs(b.value) + std::abs(quotient)};
  }
  Conditioned& operator+=(Conditioned b) { return *this = *this + b; }

  friend bool operator<(Conditioned a, Conditioned b) { return a.value < b.value; }
  friend bool operator>(Conditioned a, Conditioned b) { return a.value > b.value; }

  friend Conditioned exp(Conditioned x) {
    const double y = std::exp(x.value);
    return x.through(y, y);
  }
  friend Conditioned log(Conditioned x) { return x.through(std::log(x.value), 1 / x.value); }
  friend Conditioned sqrt(Conditioned x) {
    const double y = std::sqrt(x.value);
    return x.through(y, y > 0 ? 0.5 / y : 0);
  }
  friend Conditioned abs(Conditioned x) { return x.value < 0 ? -x : x; }
  friend Conditioned cos_pi(Conditioned x) {
    return x.through(std::cos(std::numbers::pi * x.value),
                     std::numbers::pi * std::sin(std::numbers::pi * x.value));
  }
  friend double value_of(Conditioned x) { return x.value; }
};

inline double cos_pi(double x) { return std::cos(std::numbers::pi * x); }
inline double value_of(double x) { return x; }

}  // namespace foxhunt
