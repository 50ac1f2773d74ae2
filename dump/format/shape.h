// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foxhunt {

// Extents of a buffer, row-major, outermost first. Empty is a scalar (one element).
using Shape = std::vector<std::uint64_t>;

inline constexpr std::size_t kMaxRank = 8;

// Product of the extents, or nothing when it does not fit 64 bits.
std::optional<std::uint64_t> element_count(const Shape& shape) noexcept;

// "64x16x8"; a scalar is "-".
std::string format_shape(const Shape& shape);
// The inverse; nothing for anything that format_shape would not write (leading zeros, rank > 8, …).
std::optional<Shape> parse_shape(std::string_view text);

// Row-major coordinates of a flat index; index < element_count(shape).
std::vector<std::uint64_t> coordinates(const Shape& shape, std::uint64_t index);

}  // namespace foxhunt
