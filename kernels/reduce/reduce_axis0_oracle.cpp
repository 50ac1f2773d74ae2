// SPDX-License-Identifier: MIT
#include "kernels/reduce/reduce_axis0_oracle.h"

#include <cstddef>

namespace foxhunt::oracle {

std::vector<double> reduce_axis0(const std::vector<double>& scratch, int rows, int cols) {
  const auto width = static_cast<std::size_t>(cols);
  std::vector<double> grad(width, 0.0);
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
    for (std::size_t column = 0; column < width; ++column) {
      grad[column] += scratch[row * width + column];
    }
  }
  return grad;
}

}  // namespace foxhunt::oracle
