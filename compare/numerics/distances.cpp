// SPDX-License-Identifier: MIT
#include "compare/numerics/distances.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "compare/numerics/dispatch.h"
#include "compare/numerics/ulp.h"

namespace foxhunt {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kRelativeFloor = 1e-6;
constexpr double kZeroMeanSquare = 1e-30;

// The largest of f(i, a, b) over all elements.
template <class T, class F>
double largest(std::span<const T> reference, std::span<const T> output, F f) {
  if (reference.size() != output.size() || reference.empty()) return kNone;
  double max = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const double a = reference[i], b = output[i];
    if (!std::isfinite(a) || !std::isfinite(b)) return kNone;
    const double distance = f(i, a, b);
    if (std::isnan(distance)) return kNone;
    max = std::max(max, distance);
  }
  return max;
}

template <class T>
double max_absolute_of(std::span<const T> reference, std::span<const T> output) {
  return largest(reference, output,
                 [](std::size_t, double a, double b) { return std::fabs(a - b); });
}

template <class T>
double max_relative_of(std::span<const T> reference, std::span<const T> output) {
  return largest(reference, output, [](std::size_t, double a, double b) {
    return std::fabs(a - b) / (std::fabs(a) + kRelativeFloor);
  });
}

template <class T>
double nmse_of(std::span<const T> reference, std::span<const T> output) {
  if (reference.size() != output.size() || reference.empty()) return kNone;
  double error = 0, power = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const double a = reference[i], b = output[i];
    if (!std::isfinite(a) || !std::isfinite(b)) return kNone;
    error += (a - b) * (a - b);
    power += a * a;
  }
  const auto n = static_cast<double>(reference.size());
  // Squares of huge values overflow: error / power may be inf / inf, a NaN, which never passes.
  return power / n < kZeroMeanSquare ? error / n : error / power;
}

template <class T>
double condition_aware_of(std::span<const T> reference, std::span<const T> output,
                          std::span<const double> magnitudes, double unit) {
  if (magnitudes.size() != reference.size()) return kNone;
  return largest(reference, output, [&](std::size_t i, double a, double b) {
    const double apart = std::fabs(a - b);
    if (!(magnitudes[i] >= 0) || !std::isfinite(magnitudes[i])) return kNone;
    if (magnitudes[i] == 0) return apart == 0 ? 0 : std::numeric_limits<double>::infinity();
    // Divided one after the other, because the product may underflow.
    return apart / magnitudes[i] / unit;
  });
}

template <class Format>
double max_ulp_of(std::span<const std::byte> reference, std::span<const std::byte> output) {
  using Bits = typename Format::Bits;
  Bits max = 0;
  for (std::size_t at = 0; at < reference.size(); at += sizeof(Bits)) {
    Bits a, b;
    std::memcpy(&a, reference.data() + at, sizeof a);
    std::memcpy(&b, output.data() + at, sizeof b);
    if ((a & Format::kMagnitude) > Format::kLargestFinite ||
        (b & Format::kMagnitude) > Format::kLargestFinite) {
      return kNone;
    }
    max = std::max(max, ulp_distance<Format>(a, b));
  }
  return static_cast<double>(max);
}

}  // namespace

bool within(double distance, double tolerance) noexcept { return distance <= tolerance; }

double max_absolute(std::span<const double> reference, std::span<const double> output) {
  return max_absolute_of(reference, output);
}
double max_absolute(std::span<const float> reference, std::span<const float> output) {
  return max_absolute_of(reference, output);
}

double max_relative(std::span<const double> reference, std::span<const double> output) {
  return max_relative_of(reference, output);
}
double max_relative(std::span<const float> reference, std::span<const float> output) {
  return max_relative_of(reference, output);
}

double nmse(std::span<const double> reference, std::span<const double> output) {
  return nmse_of(reference, output);
}
double nmse(std::span<const float> reference, std::span<const float> output) {
  return nmse_of(reference, output);
}

double condition_aware(std::span<const double> reference, std::span<const double> output,
                       std::span<const double> magnitudes, double unit) {
  return condition_aware_of(reference, output, magnitudes, unit);
}
double condition_aware(std::span<const float> reference, std::span<const float> output,
                       std::span<const double> magnitudes, double unit) {
  return condition_aware_of(reference, output, magnitudes, unit);
}

double unit_roundoff(DType dtype) noexcept {
  return with_float_format(
      dtype, []<class Format>() { return std::ldexp(0.5, -static_cast<int>(Format::kMantissa)); });
}

double max_ulp(DType dtype, std::span<const std::byte> reference,
               std::span<const std::byte> output) {
  if (reference.size() != output.size() || reference.empty() ||
      reference.size() % dtype_size(dtype) != 0) {
    return kNone;
  }
  return with_float_format(dtype,
                           [&]<class Format>() { return max_ulp_of<Format>(reference, output); });
}

}  // namespace foxhunt
