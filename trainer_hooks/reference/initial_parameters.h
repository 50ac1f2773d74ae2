// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "dump/format/shape.h"

namespace foxhunt {

// What parameter `name` of this shape holds before the first update: a function of seed, name and
// position only, with the same bits from every compiler.
//
//   matrices          uniform within 1/sqrt(rows), rows being the inputs of a unit
//   gains, tau, d     1
//   biases            0; dt_bias the inverse softplus of 0.1
//   a_log             log(1), log(2), … of the heads (Mamba-2's A)
//   noisy ..._sigma   0.5 / sqrt(rows) (Fortunato et al., "Noisy Networks for Exploration")
std::vector<float> initial_parameter(std::string_view name, const Shape& shape, std::uint64_t seed);

}  // namespace foxhunt
