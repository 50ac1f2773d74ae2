// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/heads/cross_entropy_oracle.h"
#include "kernels/heads/value_support_oracle.h"

namespace foxhunt::oracle {

template <class Real>
LossRows<Real> value_loss(const Values<Real>& v, const Values<Real>& bellman_target,
                          const ValueSupport& support) {
  const auto atoms = static_cast<std::size_t>(support.atoms);
  LossRows<Real> result;
  for (std::size_t b = 0; b < v.size(); ++b) {
    Real wanted(0);
    for (std::size_t z = 0; z < atoms; ++z) {
      wanted += bellman_target[b * atoms + z] * atom_value<Real>(support, z);
    }
    const Real error = v[b] - wanted;
    result.loss.push_back(Real(0.5) * error * error);
    result.grad_logits.push_back(error / Real(static_cast<double>(v.size())));
  }
  return result;
}

}  // namespace foxhunt::oracle
