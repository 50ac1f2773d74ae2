// SPDX-License-Identifier: MIT
#include "dump/format/shape.h"

#include "dump/format/error.h"
#include "dump/format/numbers.h"

namespace foxhunt {

std::optional<std::uint64_t> element_count(const Shape& shape) noexcept {
  std::uint64_t count = 1;
  bool overflow = false;
  for (const std::uint64_t extent : shape) {
    if (extent == 0) return 0;
    overflow |= __builtin_mul_overflow(count, extent, &count);
  }
  if (overflow) return std::nullopt;
  return count;
}

std::string format_shape(const Shape& shape) {
  if (shape.empty()) return "-";
  return fmt::format("{}", fmt::join(shape, "x"));
}

std::optional<Shape> parse_shape(std::string_view text) {
  if (text == "-") return Shape{};
  Shape shape;
  while (true) {
    const std::size_t cut = text.find('x');
    const auto extent = parse_decimal(text.substr(0, cut));
    if (!extent || shape.size() == kMaxRank) return std::nullopt;
    shape.push_back(*extent);
    if (cut == std::string_view::npos) return shape;
    text.remove_prefix(cut + 1);
  }
}

std::vector<std::uint64_t> coordinates(const Shape& shape, std::uint64_t index) {
  std::vector<std::uint64_t> at(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    FOXHUNT_ASSERT(shape[axis] > 0);
    at[axis] = index % shape[axis];
    index /= shape[axis];
  }
  return at;
}

}  // namespace foxhunt
