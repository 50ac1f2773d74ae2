// SPDX-License-Identifier: MIT
#pragma once

#include "compare/numerics/float_formats.h"

namespace foxhunt {

// Distance of two numbers of `Format` in representable values: how many steps to a neighbour lead
// from one to the other. -0 and +0 are the same place, an infinity is one step past the largest
// finite value. Meaningless (but defined) when either is a NaN. Branch-free.
//
// Lane is an unsigned type at least as wide as Format::Bits.
template <class Format, class Lane = typename Format::Bits>
FOXHUNT_INLINE constexpr Lane ulp_distance(Lane a, Lane b) noexcept {
  constexpr Lane kMagnitude = Format::kMagnitude;
  const Lane a_magnitude = static_cast<Lane>(a & kMagnitude);
  const Lane b_magnitude = static_cast<Lane>(b & kMagnitude);
  const Lane apart = static_cast<Lane>(a_magnitude > b_magnitude ? a_magnitude - b_magnitude
                                                                 : b_magnitude - a_magnitude);
  // Two magnitudes never carry out of a lane: each lacks the top bit.
  const Lane across = static_cast<Lane>(a_magnitude + b_magnitude);
  return ((a ^ b) & Format::kSign) != 0 ? across : apart;
}

}  // namespace foxhunt
