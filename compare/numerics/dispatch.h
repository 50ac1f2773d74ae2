// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <type_traits>

#include "compare/numerics/float_formats.h"
#include "dump/format/dtype.h"
#include "dump/format/error.h"

namespace foxhunt {

// Calls f.template operator()<Format>() for a float dtype, Format being that of float_formats.h.
template <class F>
decltype(auto) with_float_format(DType dtype, F&& f) {
  switch (dtype) {
    case DType::f16:
      return f.template operator()<Float16>();
    case DType::bf16:
      return f.template operator()<BFloat16>();
    case DType::f32:
      return f.template operator()<Float32>();
    case DType::f64:
      return f.template operator()<Float64>();
    case DType::f8e4m3:
      return f.template operator()<Float8E4M3>();
    default:
      FOXHUNT_ASSERT(dtype == DType::f8e5m2);
      return f.template operator()<Float8E5M2>();
  }
}

// Calls f.template operator()<T>() for an integer dtype; bool is std::uint8_t.
template <class F>
decltype(auto) with_integer(DType dtype, F&& f) {
  switch (dtype) {
    case DType::i8:
      return f.template operator()<std::int8_t>();
    case DType::i16:
      return f.template operator()<std::int16_t>();
    case DType::u16:
      return f.template operator()<std::uint16_t>();
    case DType::i32:
      return f.template operator()<std::int32_t>();
    case DType::u32:
      return f.template operator()<std::uint32_t>();
    case DType::i64:
      return f.template operator()<std::int64_t>();
    case DType::u64:
      return f.template operator()<std::uint64_t>();
    default:
      FOXHUNT_ASSERT(dtype == DType::u8 || dtype == DType::boolean);
      return f.template operator()<std::uint8_t>();
  }
}

}  // namespace foxhunt
