// SPDX-License-Identifier: MIT
#include "compare/numerics/tolerance.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "compare/numerics/dispatch.h"

namespace foxhunt {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The smallest finite double >= 0 for which `passes` holds, which must hold from there on;
// infinity if for none. The guess only saves time.
template <class Predicate>
double smallest_passing(double guess, Predicate passes) {
  // Non-negative doubles are ordered like their bits.
  constexpr std::uint64_t kLargest =
      std::bit_cast<std::uint64_t>(std::numeric_limits<double>::max());
  const auto holds = [&](std::uint64_t bits) { return passes(std::bit_cast<double>(bits)); };
  if (holds(0)) return 0;
  if (!holds(kLargest)) return kInfinity;
  std::uint64_t fails = 0, holding = kLargest;
  std::uint64_t at = guess > 0 ? std::min(std::bit_cast<std::uint64_t>(guess), kLargest) : 0;
  // From the guess in steps that double, until it is enclosed.
  if (holds(at)) {
    holding = at;
    for (std::uint64_t step = 1; step < holding; step *= 2) {
      at = holding - step;
      if (!holds(at)) {
        fails = at;
        break;
      }
      holding = at;
    }
  } else {
    fails = at;
    for (std::uint64_t step = 1; step < kLargest - fails; step *= 2) {
      at = fails + step;
      if (holds(at)) {
        holding = at;
        break;
      }
      fails = at;
    }
  }
  while (holding - fails > 1) {
    at = fails + (holding - fails) / 2;
    (holds(at) ? holding : fails) = at;
  }
  return std::bit_cast<double>(holding);
}

class Measurer {
 public:
  Measurer(double rtol, double atol) { result_.rtol = rtol, result_.atol = atol; }

  // A pair whose bytes differ: |a - b|, infinite if it must not pass, and |b|.
  void add(double distance, double magnitude) {
    const double rtol = result_.rtol, atol = result_.atol;
    if (!(distance < kInfinity)) {
      ++result_.outside;
      result_.smallest_rtol = result_.smallest_atol = kInfinity;
      return;
    }
    const auto passes = [&](double r, double t) { return distance <= t + r * magnitude; };
    if (!passes(rtol, atol)) ++result_.outside;
    // Also for an element that passes: the smallest tolerances start from 0 and may be too small
    // for it.
    if (result_.smallest_rtol < kInfinity && !passes(result_.smallest_rtol, atol)) {
      result_.smallest_rtol = smallest_passing((distance - atol) / magnitude,
                                               [&](double r) { return passes(r, atol); });
    }
    if (result_.smallest_atol < kInfinity && !passes(rtol, result_.smallest_atol)) {
      result_.smallest_atol =
          smallest_passing(distance - rtol * magnitude, [&](double t) { return passes(rtol, t); });
    }
  }

  ToleranceResult finish(std::uint64_t elements) {
    result_.within = elements > 0 && result_.outside == 0;
    return result_;
  }

 private:
  ToleranceResult result_;
};

template <class T>
T load(const std::byte* from, std::uint64_t index) {
  T value;
  std::memcpy(&value, from + index * sizeof(T), sizeof(T));
  return value;
}

}  // namespace

ToleranceResult measure_tolerance(DType dtype, const std::byte* a, const std::byte* b,
                                  std::uint64_t elements, double rtol, double atol) {
  FOXHUNT_ASSERT(rtol >= 0 && atol >= 0);
  Measurer measurer(rtol, atol);
  const auto floats = [&]<class Format>() {
    for (std::uint64_t i = 0; i < elements; ++i) {
      const auto x = load<typename Format::Bits>(a, i), y = load<typename Format::Bits>(b, i);
      if (x == y) continue;
      const double left = Format::decode(x), right = Format::decode(y);
      const bool finite = std::isfinite(left) && std::isfinite(right);
      measurer.add(finite ? std::fabs(left - right) : kInfinity, std::fabs(right));
    }
  };
  const auto integers = [&]<class T>() {
    using Unsigned = std::make_unsigned_t<T>;
    for (std::uint64_t i = 0; i < elements; ++i) {
      const T x = load<T>(a, i), y = load<T>(b, i);
      if (x == y) continue;
      const auto distance =
          static_cast<Unsigned>(x < y ? static_cast<Unsigned>(y) - static_cast<Unsigned>(x)
                                      : static_cast<Unsigned>(x) - static_cast<Unsigned>(y));
      measurer.add(static_cast<double>(distance), std::fabs(static_cast<double>(y)));
    }
  };
  if (is_float(dtype)) {
    with_float_format(dtype, floats);
  } else {
    with_integer(dtype, integers);
  }
  return measurer.finish(elements);
}

void merge(ToleranceResult& left, const ToleranceResult& right) {
  FOXHUNT_ASSERT(left.rtol == right.rtol && left.atol == right.atol);
  left.outside += right.outside;
  left.within = left.outside == 0 && (left.within || right.within);
  left.smallest_rtol = std::max(left.smallest_rtol, right.smallest_rtol);
  left.smallest_atol = std::max(left.smallest_atol, right.smallest_atol);
}

}  // namespace foxhunt
