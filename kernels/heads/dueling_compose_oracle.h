// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/heads/value_support_oracle.h"

namespace foxhunt::oracle {

template <class Real>
Values<Real> dueling_compose(const Values<Real>& q_logits, const Values<Real>& v,
                             std::size_t actions, const ValueSupport& support) {
  Values<Real> q;
  const auto atoms = static_cast<std::size_t>(support.atoms);
  for (std::size_t b = 0; b < v.size(); ++b) {
    Values<Real> expected;
    for (std::size_t a = 0; a < actions; ++a) {
      expected.push_back(expected_value(&q_logits[(b * actions + a) * atoms], support));
    }
    for (const Real& e : expected) q.push_back(v[b] + e - mean(expected));
  }
  return q;
}

}  // namespace foxhunt::oracle
