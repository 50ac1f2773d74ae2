// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace foxhunt {

// A decimal number written the only way this project writes one: digits, no sign, no leading zero,
// within 64 bits. Anything else is nothing.
inline std::optional<std::uint64_t> parse_decimal(std::string_view text) noexcept {
  if (text.empty() || (text.size() > 1 && text[0] == '0')) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace foxhunt
