// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace foxhunt::oracle {

// Sums scratch[rows, cols] over rows, one after the other.
std::vector<double> reduce_axis0(const std::vector<double>& scratch, int rows, int cols);

}  // namespace foxhunt::oracle
