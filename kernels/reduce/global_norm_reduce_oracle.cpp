// SPDX-License-Identifier: MIT
#include "kernels/reduce/global_norm_reduce_oracle.h"

#include <cmath>

namespace foxhunt::oracle {

GlobalNorm global_norm_reduce(const std::vector<double>& grads, double max_norm) {
  double squares = 0;
  for (const double g : grads) squares += g * g;
  const double norm = std::sqrt(squares);
  return {norm, norm > max_norm ? max_norm / norm : 1.0};
}

}  // namespace foxhunt::oracle
