// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "dump/format/dtype.h"

namespace foxhunt {

// How two arrays of the same dtype and length differ, element by element. Bytes decide what
// differs: equal NaNs are equal, -0 and +0 differ. Nothing is sampled or stopped early.
//
// Parts of one buffer are measured apart (in any order, on any thread) and joined with merge() from
// left to right; the result equals one measure() over the whole.
struct Difference {
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  static constexpr std::uint32_t kTile = 32;  // elements; a warp's worth

  std::uint64_t elements = 0;
  std::uint64_t differing = 0;
  std::uint64_t first_index = kNone, last_index = kNone;  // flat, of differing elements

  // |a - b| over differing pairs that are both finite. For integers exact in max_abs_integer (then
  // rounded to max_abs); for floats computed in double and 0 in max_abs_integer. A double rounds
  // the difference of two f64, f32 or bf16 far apart once; two f64 may even overflow to infinity.
  // Undefined (nothing measured) when `measured` is 0.
  std::uint64_t measured = 0;
  double max_abs = 0;
  std::uint64_t max_abs_integer = 0;
  std::uint64_t max_abs_index = kNone;  // the first element that attains it

  // Distance in representable values of the dtype (sign-magnitude order; -0 and +0 are 0 apart),
  // over float pairs without a NaN. Integers and bool have none.
  std::uint64_t ulp_measured = 0;
  std::uint64_t max_ulp = 0;
  // Pairs at distance <= 1, 2..4, 5..64, more.
  std::array<std::uint64_t, 4> ulp_histogram{};

  std::uint64_t nan_payload_only = 0;   // both NaN, other bits
  std::uint64_t sign_of_zero_only = 0;  // -0 against +0
  std::uint64_t non_finite = 0;  // pairs that differ with an infinity or a NaN on either side

  // Where: maximal runs of differing neighbours; aligned tiles of kTile elements that hold a
  // differing element, and those that hold nothing else.
  std::uint64_t runs = 0;
  std::uint64_t tiles_touched = 0, tiles_full = 0;

  // Whether every byte of a side is zero (over all elements, equal ones too).
  bool a_all_zero = true, b_all_zero = true;
  // Wrapping sums of the elements' bits: equal whenever one side is a permutation of the other.
  std::uint64_t a_bit_sum = 0, b_bit_sum = 0;

  struct Sample {
    std::uint64_t index = kNone;
    std::uint64_t a_bits = 0, b_bits = 0;  // the element's bytes, zero-extended
  };
  // The elements of first_index, max_abs_index and last_index, each with index kNone where there is
  // none; they may coincide.
  Sample sample_first, sample_max, sample_last;

  bool contiguous() const noexcept { return runs == 1; }
  // Every touched tile differs throughout, and some tile does not.
  bool tile_aligned() const noexcept {
    return tiles_touched > 0 && tiles_full == tiles_touched && differing < elements;
  }
};

// Measures elements [base, base + elements) of a buffer of `dtype`. `a` and `b` point at element
// `base`; no alignment needed. `base` must be a multiple of Difference::kTile (so that tiles of
// neighbouring parts do not overlap). Uses the widest instructions the processor has; the result
// does not depend on them. Assumes that the thread does not flush denormals (MXCSR as at start).
Difference measure(DType dtype, const std::byte* a, const std::byte* b, std::uint64_t elements,
                   std::uint64_t base);

// Appends `right`, which starts where `left` ends; either may be empty. A run that continues across
// the seam (left.last_index + 1 == right.first_index) counts once.
void merge(Difference& left, const Difference& right);

}  // namespace foxhunt
