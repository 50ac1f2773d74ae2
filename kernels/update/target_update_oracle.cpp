// SPDX-License-Identifier: MIT
#include "kernels/update/target_update_oracle.h"

namespace foxhunt::oracle {

std::vector<double> target_update(const std::vector<double>& params,
                                  const std::vector<double>& target, double tau) {
  std::vector<double> moved(target.size());
  for (std::size_t i = 0; i < target.size(); ++i) {
    moved[i] = (1 - tau) * target[i] + tau * params[i];
  }
  return moved;
}

}  // namespace foxhunt::oracle
