// SPDX-License-Identifier: MIT
#include "dump/format/dtype.h"

#include <array>

#include "dump/format/error.h"

namespace foxhunt {
namespace {

struct Row {
  std::string_view name;
  std::uint32_t size;
};

constexpr std::array<Row, 16> kRows = {{{"", 0},
                                        {"f16", 2},
                                        {"bf16", 2},
                                        {"f32", 4},
                                        {"f64", 8},
                                        {"i8", 1},
                                        {"u8", 1},
                                        {"i16", 2},
                                        {"u16", 2},
                                        {"i32", 4},
                                        {"u32", 4},
                                        {"i64", 8},
                                        {"u64", 8},
                                        {"bool", 1},
                                        {"f8e4m3", 1},
                                        {"f8e5m2", 1}}};

// A name of up to seven characters as one number, its length first, so that a name with leading
// NULs is not taken for the one without; 0 for any other.
constexpr std::uint64_t pack(std::string_view name) noexcept {
  if (name.size() > 7) return 0;
  std::uint64_t packed = name.size();
  for (const char c : name) packed = packed << 8 | static_cast<unsigned char>(c);
  return packed;
}

// Logs name a dtype in each of their millions of lines.
constexpr auto kPackedNames = [] {
  std::array<std::uint64_t, kRows.size()> packed{};
  for (std::size_t i = 0; i < kRows.size(); ++i) packed[i] = pack(kRows[i].name);
  return packed;
}();

const Row& row(DType type) noexcept {
  const auto index = static_cast<std::size_t>(type);
  FOXHUNT_ASSERT(index > 0 && index < kRows.size());
  return kRows[index];
}

}  // namespace

std::string_view dtype_name(DType type) noexcept { return row(type).name; }

std::uint32_t dtype_size(DType type) noexcept { return row(type).size; }

std::optional<DType> parse_dtype(std::string_view name) noexcept {
  const std::uint64_t packed = pack(name);
  for (std::size_t i = 1; i < kRows.size(); ++i) {
    if (kPackedNames[i] == packed) return static_cast<DType>(i);
  }
  return std::nullopt;
}

bool is_float(DType type) noexcept {
  switch (type) {
    case DType::f16:
    case DType::bf16:
    case DType::f32:
    case DType::f64:
    case DType::f8e4m3:
    case DType::f8e5m2:
      return true;
    default:
      return false;
  }
}

bool is_signed_integer(DType type) noexcept {
  return type == DType::i8 || type == DType::i16 || type == DType::i32 || type == DType::i64;
}

}  // namespace foxhunt
