// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "dump/format/dtype.h"

namespace foxhunt {

// One element from its bits.
inline std::string format_value(DType dtype, std::uint64_t bits) {
  return fmt::format("0x{:0{}x}", bits, 2 * dtype_size(dtype));
}

}  // namespace foxhunt
