// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace foxhunt::oracle {

struct Adam {
  std::vector<double> params, m, v;
  int step = 0;  // steps taken
  double learning_rate, beta1, beta2, epsilon;

  void step_with(const std::vector<double>& grads, double scale);
};

}  // namespace foxhunt::oracle
