// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace foxhunt {

// Element types. On disk they are the names of dtype_name(); the numbers are those of the C ABI:
// never renumber, never reuse.
enum class DType : std::uint8_t {
  f16 = 1,   // IEEE binary16
  bf16 = 2,  // the upper half of an f32
  f32 = 3,
  f64 = 4,
  i8 = 5,
  u8 = 6,
  i16 = 7,
  u16 = 8,
  i32 = 9,
  u32 = 10,
  i64 = 11,
  u64 = 12,
  boolean = 13,  // one byte, 0 or 1; named "bool"
  f8e4m3 = 14,   // OCP FP8, no infinities, NaN = S.1111.111
  f8e5m2 = 15,   // OCP FP8, IEEE-like
};

inline constexpr DType kAllDTypes[] = {DType::f16,     DType::bf16,   DType::f32,   DType::f64,
                                       DType::i8,      DType::u8,     DType::i16,   DType::u16,
                                       DType::i32,     DType::u32,    DType::i64,   DType::u64,
                                       DType::boolean, DType::f8e4m3, DType::f8e5m2};

// "f32", "bool", …
std::string_view dtype_name(DType type) noexcept;
std::optional<DType> parse_dtype(std::string_view name) noexcept;

// Bytes of one element: 1, 2, 4 or 8.
std::uint32_t dtype_size(DType type) noexcept;

// f16 bf16 f32 f64 and the two f8.
bool is_float(DType type) noexcept;
// i8 i16 i32 i64.
bool is_signed_integer(DType type) noexcept;

}  // namespace foxhunt
