// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace foxhunt {

enum class ElementType : unsigned char { f32, f64, i8, u8, i16, u16, i32, u32, i64, u64, bytes };

template <class T>
constexpr ElementType element_type() {
  using enum ElementType;
  if constexpr (std::is_same_v<T, float>) return f32;
  if constexpr (std::is_same_v<T, double>) return f64;
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    if constexpr (sizeof(T) == 1) return std::is_signed_v<T> ? i8 : u8;
    if constexpr (sizeof(T) == 2) return std::is_signed_v<T> ? i16 : u16;
    if constexpr (sizeof(T) == 4) return std::is_signed_v<T> ? i32 : u32;
    if constexpr (sizeof(T) == 8) return std::is_signed_v<T> ? i64 : u64;
  }
  return bytes;
}

// What a case says of its results: some elements under a name.
struct ExploredOutput {
  std::string name;
  ElementType type = ElementType::bytes;
  std::size_t element_bytes = 1;
  std::vector<std::byte> values;
};

// "f32"
const char* name(ElementType type) noexcept;

// All outputs with their names and types in one piece, so that explore() compares those as well.
std::vector<std::byte> pack(const std::vector<ExploredOutput>& outputs);
// What pack() made. Throws Error (format) for anything else.
std::vector<ExploredOutput> unpack(std::span<const std::byte> bytes);

// Where two runs of a case first differ.
struct OutputDifference {
  std::string output;
  std::string type;
  std::uint64_t index = 0;                // of the first element that differs
  std::uint64_t elements = 0;             // in order
  std::uint64_t other_elements = 0;       // under the other schedule
  std::uint64_t differ = 0;               // how many of those that both have
  std::string in_order, other;            // the element, as text; empty past an end
  std::string in_order_bits, other_bits;  // in hexadecimal, the most significant byte first
};

// None if they are equal. An output that only one of them has differs at its first element.
std::optional<OutputDifference> first_difference(const std::vector<ExploredOutput>& in_order,
                                                 const std::vector<ExploredOutput>& other);

}  // namespace foxhunt
