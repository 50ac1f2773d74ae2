// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "compare/numerics/difference.h"

namespace foxhunt::test {

// What measure() must return, one element after the other, in the plainest way.
Difference naive_difference(DType dtype, std::span<const std::byte> a, std::span<const std::byte> b,
                            std::uint64_t base = 0);

// The value of an element's bits, read off the format's definition; infinities and NaNs too.
// Exact for every format of at most 64 bits. `bits` is zero-extended.
double naive_decode(DType dtype, std::uint64_t bits);

}  // namespace foxhunt::test
