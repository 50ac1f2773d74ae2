// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace foxhunt::oracle {

struct GlobalNorm {
  double norm, scale;
};

GlobalNorm global_norm_reduce(const std::vector<double>& grads, double max_norm);

}  // namespace foxhunt::oracle
