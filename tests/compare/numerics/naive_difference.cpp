// SPDX-License-Identifier: MIT
#include "tests/compare/numerics/naive_difference.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace foxhunt::test {
namespace {

struct Layout {
  int exponent_bits, mantissa_bits;
  bool has_infinity = true;
};

Layout layout(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return {5, 10};
    case DType::bf16:
      return {8, 7};
    case DType::f32:
      return {8, 23};
    case DType::f64:
      return {11, 52};
    case DType::f8e4m3:
      return {4, 3, false};
    default:
      return {5, 2};
  }
}

std::uint64_t element(std::span<const std::byte> bytes, std::uint64_t index, std::size_t size) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + index * size, size);
  return bits;
}

// The place of a number among all numbers of its format, 0 at either zero.
__int128 place(std::uint64_t bits, std::size_t size) {
  const std::uint64_t sign = std::uint64_t{1} << (8 * size - 1);
  const __int128 magnitude = bits & (sign - 1);
  return (bits & sign) != 0 ? -magnitude : magnitude;
}

std::uint64_t integer_distance(DType dtype, std::uint64_t x, std::uint64_t y) {
  __int128 a = x, b = y;
  if (is_signed_integer(dtype)) {
    const __int128 sign = __int128{1} << (8 * dtype_size(dtype) - 1);
    if (a >= sign) a -= 2 * sign;
    if (b >= sign) b -= 2 * sign;
  }
  return static_cast<std::uint64_t>(a < b ? b - a : a - b);
}

class Naive {
 public:
  Naive(DType dtype, Difference* out) : dtype_(dtype), out_(*out) {}

  void add(std::uint64_t index, std::uint64_t x, std::uint64_t y) {
    ++out_.elements;
    out_.a_bit_sum += x;
    out_.b_bit_sum += y;
    if (x != 0) out_.a_all_zero = false;
    if (y != 0) out_.b_all_zero = false;
    const Difference::Sample sample{index, x, y};
    if (x == y) {
      previous_differs_ = false;
      return;
    }
    if (out_.differing++ == 0) {
      out_.first_index = index;
      out_.sample_first = sample;
    }
    out_.last_index = index;
    out_.sample_last = sample;
    if (!previous_differs_) ++out_.runs;
    previous_differs_ = true;
    if (is_float(dtype_)) {
      add_floats(sample);
    } else {
      const std::uint64_t distance = integer_distance(dtype_, x, y);
      add_distance(sample, distance, static_cast<double>(distance));
    }
  }

 private:
  void add_floats(const Difference::Sample& sample) {
    const double x = naive_decode(dtype_, sample.a_bits), y = naive_decode(dtype_, sample.b_bits);
    if (std::isnan(x) && std::isnan(y)) ++out_.nan_payload_only;
    if (!std::isfinite(x) || !std::isfinite(y)) ++out_.non_finite;
    if (x == 0 && y == 0) ++out_.sign_of_zero_only;
    if (std::isfinite(x) && std::isfinite(y)) add_distance(sample, 0, std::fabs(x - y));
    if (std::isnan(x) || std::isnan(y)) return;
    const std::size_t size = dtype_size(dtype_);
    const __int128 apart = place(sample.a_bits, size) - place(sample.b_bits, size);
    const auto ulp = static_cast<std::uint64_t>(apart < 0 ? -apart : apart);
    ++out_.ulp_measured;
    if (ulp > out_.max_ulp) out_.max_ulp = ulp;
    ++out_.ulp_histogram[ulp <= 1 ? 0 : ulp <= 4 ? 1 : ulp <= 64 ? 2 : 3];
  }

  void add_distance(const Difference::Sample& sample, std::uint64_t integer, double distance) {
    const bool first = out_.measured++ == 0;
    if (!first && integer <= out_.max_abs_integer && distance <= out_.max_abs) return;
    out_.max_abs_integer = integer;
    out_.max_abs = distance;
    out_.max_abs_index = sample.index;
    out_.sample_max = sample;
  }

  const DType dtype_;
  Difference& out_;
  bool previous_differs_ = false;
};

}  // namespace

double naive_decode(DType dtype, std::uint64_t bits) {
  const Layout format = layout(dtype);
  const std::uint64_t one = 1;
  const std::uint64_t mantissa = bits & ((one << format.mantissa_bits) - 1);
  const std::uint64_t exponent_mask = (one << format.exponent_bits) - 1;
  const std::uint64_t exponent = (bits >> format.mantissa_bits) & exponent_mask;
  const bool negative = ((bits >> (format.mantissa_bits + format.exponent_bits)) & 1) != 0;
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  double value = 0;
  if (exponent == exponent_mask && format.has_infinity) {
    value = mantissa == 0 ? std::numeric_limits<double>::infinity()
                          : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == exponent_mask && mantissa == (one << format.mantissa_bits) - 1) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    value = std::ldexp(static_cast<double>(mantissa), 1 - bias - format.mantissa_bits);
  } else {
    value = std::ldexp(static_cast<double>(mantissa | (one << format.mantissa_bits)),
                       static_cast<int>(exponent) - bias - format.mantissa_bits);
  }
  return negative ? -value : value;
}

Difference naive_difference(DType dtype, std::span<const std::byte> a, std::span<const std::byte> b,
                            std::uint64_t base) {
  const std::size_t size = dtype_size(dtype);
  const std::uint64_t elements = a.size() / size;
  Difference result;
  Naive naive(dtype, &result);
  for (std::uint64_t tile = 0; tile < elements; tile += Difference::kTile) {
    const std::uint64_t end = std::min<std::uint64_t>(elements, tile + Difference::kTile);
    const std::uint64_t before = result.differing;
    for (std::uint64_t i = tile; i < end; ++i) {
      naive.add(base + i, element(a, i, size), element(b, i, size));
    }
    const std::uint64_t differing = result.differing - before;
    if (differing > 0) ++result.tiles_touched;
    if (differing == end - tile) ++result.tiles_full;
  }
  return result;
}

}  // namespace foxhunt::test
