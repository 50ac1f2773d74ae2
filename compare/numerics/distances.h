// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "dump/format/dtype.h"

namespace foxhunt {

// Distances of an output from its reference, for tolerances. Whether two outputs are the same is
// not decided here but by their bytes (difference.h).
//
// Every distance is a double, NaN where there is none: the lengths differ, there is nothing to
// compare, or any element of either side is a NaN or an infinity (equal ones too). Since within()
// refuses NaN, none of these ever passes.

// distance <= tolerance, so that a NaN on either side fails.
bool within(double distance, double tolerance) noexcept;

// max |a - b|.
double max_absolute(std::span<const double> reference, std::span<const double> output);
double max_absolute(std::span<const float> reference, std::span<const float> output);

// max |a - b| / (|a| + 1e-6), a being the reference.
double max_relative(std::span<const double> reference, std::span<const double> output);
double max_relative(std::span<const float> reference, std::span<const float> output);

// Normalised mean squared error: sum (a - b)^2 / sum a^2, or the mean squared error
// sum (a - b)^2 / n where the reference is as good as zero (sum a^2 / n < 1e-30).
double nmse(std::span<const double> reference, std::span<const double> output);
double nmse(std::span<const float> reference, std::span<const float> output);

// The condition-aware distance of a reduction: max |a - b| / (u * sum |terms|).
//
// magnitudes  per element, the sum of the absolute values of the terms that were added up in it
// unit        unit_roundoff() of the dtype they were added in
//
// Adding the same terms in another order stays at single digits, which grow slowly with their
// number; a lost term gives thousands, typically. An element without terms (0) must agree exactly:
// 0 if it does, infinity if not. NaN also for a negative or non-finite magnitude.
double condition_aware(std::span<const double> reference, std::span<const double> output,
                       std::span<const double> magnitudes, double unit);
double condition_aware(std::span<const float> reference, std::span<const float> output,
                       std::span<const double> magnitudes, double unit);

// Half the distance from 1 to the next value: f16 2^-11, bf16 2^-8, f32 2^-24, f64 2^-53, f8e4m3
// 2^-4, f8e5m2 2^-3. Other dtypes have none: FOXHUNT_ASSERT.
double unit_roundoff(DType dtype) noexcept;

// The largest distance in representable values (ulp.h) between elements of a float dtype given as
// bytes, at any address; exact up to 2^53. NaN also for a partial element at the end of either.
double max_ulp(DType dtype, std::span<const std::byte> reference,
               std::span<const std::byte> output);

}  // namespace foxhunt
