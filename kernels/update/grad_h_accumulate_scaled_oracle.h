// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace foxhunt::oracle {

// The sum over heads of lambda[head] * gradients[head].
std::vector<double> grad_h_accumulate_scaled(const std::vector<std::vector<double>>& gradients,
                                             const std::vector<double>& lambda);

}  // namespace foxhunt::oracle
