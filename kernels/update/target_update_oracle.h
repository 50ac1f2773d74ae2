// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace foxhunt::oracle {

std::vector<double> target_update(const std::vector<double>& params,
                                  const std::vector<double>& target, double tau);

}  // namespace foxhunt::oracle
