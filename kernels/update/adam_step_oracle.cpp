// SPDX-License-Identifier: MIT
#include "kernels/update/adam_step_oracle.h"

#include <cmath>

namespace foxhunt::oracle {

void Adam::step_with(const std::vector<double>& grads, double scale) {
  ++step;
  for (std::size_t i = 0; i < params.size(); ++i) {
    const double g = scale * grads[i];
    m[i] = beta1 * m[i] + (1 - beta1) * g;
    v[i] = beta2 * v[i] + (1 - beta2) * g * g;
    const double mean = m[i] / (1 - std::pow(beta1, step));
    const double variance = v[i] / (1 - std::pow(beta2, step));
    params[i] -= learning_rate * mean / (std::sqrt(variance) + epsilon);
  }
}

}  // namespace foxhunt::oracle
