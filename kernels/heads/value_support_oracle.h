// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/heads/linear_head_oracle.h"
#include "kernels/heads/value_support.h"

namespace foxhunt::oracle {

template <class Real>
Real atom_value(const ValueSupport& s, std::size_t j) {
  const Real low(double{s.v_min}), high(double{s.v_max});
  return low + Real(static_cast<double>(j)) * ((high - low) / Real(s.atoms - 1.0));
}

template <class Real>
Real expected_value(const Real* logits, const ValueSupport& s) {
  const auto p = softmax(logits, static_cast<std::size_t>(s.atoms));
  Real sum(0);
  for (std::size_t j = 0; j < p.size(); ++j) sum += p[j] * atom_value<Real>(s, j);
  return sum;
}

}  // namespace foxhunt::oracle
