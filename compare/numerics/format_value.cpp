// SPDX-License-Identifier: MIT
#include "compare/numerics/format_value.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "compare/numerics/dispatch.h"

namespace foxhunt {
namespace {

// The shortest decimal strictly between the midpoints to both neighbours: whatever lies there, and
// only that, rounds to the value. A midpoint itself is left to its even side by most readers, but
// not by all.
template <class Format>
std::string shortest_decimal(std::uint64_t magnitude) {
  const double value = Format::decode(static_cast<typename Format::Bits>(magnitude));
  const auto neighbour = [](std::uint64_t bits) {
    return static_cast<double>(Format::decode(static_cast<typename Format::Bits>(bits)));
  };
  const double below = (value + neighbour(magnitude - 1)) / 2;
  // Past the largest there is nothing, but it rounds as if the next binade began there.
  const double above = magnitude == Format::kLargestFinite ? value + (value - below)
                                                           : (value + neighbour(magnitude + 1)) / 2;
  for (int digits = 1;; ++digits) {
    // Both decimals of that many digits around the value: at a power of two the interval is
    // lopsided, and the nearest of them may miss it on the narrow side.
    const double nearest = std::strtod(fmt::format("{:.{}e}", value, digits - 1).c_str(), nullptr);
    const double step = std::pow(10, std::floor(std::log10(value)) - digits + 1);
    for (const double candidate : {nearest, nearest + step, nearest - step}) {
      const std::string text = fmt::format("{:.{}e}", candidate, digits - 1);
      const double read = std::strtod(text.c_str(), nullptr);
      if (below < read && read < above) return fmt::format("{}", read);
    }
  }
}

template <class Format>
std::string format_float(std::uint64_t bits) {
  const std::uint64_t magnitude = bits & Format::kMagnitude;
  if (magnitude > Format::kLargestNumber) {
    return fmt::format("nan(0x{:0{}x})", bits, 2 * sizeof(typename Format::Bits));
  }
  const char* const sign = (bits & Format::kSign) != 0 ? "-" : "";
  if (magnitude == 0) return fmt::format("{}0", sign);
  if (magnitude > Format::kLargestFinite) return fmt::format("{}inf", sign);
  if constexpr (std::is_same_v<Format, Float32> || std::is_same_v<Format, Float64>) {
    return fmt::format("{}{}", sign, Format::decode(static_cast<typename Format::Bits>(magnitude)));
  } else {
    return sign + shortest_decimal<Format>(magnitude);
  }
}

}  // namespace

std::string format_value(DType dtype, std::uint64_t bits) {
  if (is_float(dtype)) {
    return with_float_format(dtype, [&]<class Format>() { return format_float<Format>(bits); });
  }
  if (dtype == DType::boolean) {
    if (bits <= 1) return bits == 1 ? "true" : "false";
    return fmt::format("bool(0x{:02x})", bits);
  }
  return with_integer(dtype, [&]<class T>() { return fmt::format("{}", +static_cast<T>(bits)); });
}

}  // namespace foxhunt
