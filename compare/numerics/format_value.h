// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "dump/format/dtype.h"

namespace foxhunt {

// An element's bits (zero-extended) as text that reads back to the same bits of its dtype.
//
//   floats    the shortest decimal that rounds to it in its own format: "0.1" for f16 0x2e66;
//             "-0", "inf", "-inf", and every NaN with all its bits: "nan(0x7fc00001)"
//   integers  decimal
//   bool      "false", "true"; "bool(0x02)" for a byte that is neither
std::string format_value(DType dtype, std::uint64_t bits);

}  // namespace foxhunt
