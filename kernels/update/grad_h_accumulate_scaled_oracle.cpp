// SPDX-License-Identifier: MIT
#include "kernels/update/grad_h_accumulate_scaled_oracle.h"

namespace foxhunt::oracle {

std::vector<double> grad_h_accumulate_scaled(const std::vector<std::vector<double>>& gradients,
                                             const std::vector<double>& lambda) {
  std::vector<double> combined(gradients.front().size(), 0.0);
  for (std::size_t head = 0; head < gradients.size(); ++head) {
    for (std::size_t i = 0; i < combined.size(); ++i) {
      combined[i] += lambda[head] * gradients[head][i];
    }
  }
  return combined;
}

}  // namespace foxhunt::oracle
