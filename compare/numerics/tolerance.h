// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "dump/format/dtype.h"

namespace foxhunt {

// How much tolerance would let a buffer pass: |a - b| <= atol + rtol * |b|, in double, for every
// element. Elements of equal bytes pass whatever they are. Otherwise an element passes only if both
// sides are finite and so is |a - b|; a NaN or an infinity on one side never passes.
struct ToleranceResult {
  double rtol = 0, atol = 0;  // asked for
  bool within = false;        // something was measured, and all of it passes
  // The smallest that would pass: printed and given again, exactly they pass and nothing smaller
  // does. 0 when none is needed, infinity when none would do.
  double smallest_rtol = 0;   // with the asked atol
  double smallest_atol = 0;   // with the asked rtol
  std::uint64_t outside = 0;  // elements that do not pass
};

// `a` and `b`: `elements` elements of `dtype` each, at any address. rtol and atol must not be
// negative or NaN.
ToleranceResult measure_tolerance(DType dtype, const std::byte* a, const std::byte* b,
                                  std::uint64_t elements, double rtol, double atol);

// Joins the results of two parts of a buffer, measured with the same rtol and atol, in any order.
// {rtol, atol} is the result of no part.
void merge(ToleranceResult& left, const ToleranceResult& right);

}  // namespace foxhunt
