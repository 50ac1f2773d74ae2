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

const Row& row(DType type) noexcept {
  const auto index = static_cast<std::size_t>(type);
  FOXHUNT_ASSERT(index > 0 && index < kRows.size());
  return kRows[index];
}

}  // namespace

std::string_view dtype_name(DType type) noexcept { return row(type).name; }

std::uint32_t dtype_size(DType type) noexcept { return row(type).size; }

std::optional<DType> parse_dtype(std::string_view name) noexcept {
  for (const DType type : kAllDTypes) {
    if (row(type).name == name) return type;
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
