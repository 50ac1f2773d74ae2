// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/heads/linear_head_oracle.h"

namespace foxhunt::oracle {

template <class Real>
struct LossRows {
  Values<Real> loss, grad_logits;  // [rows], [rows,classes]; the gradient is the mean loss's
};

template <class Real>
LossRows<Real> cross_entropy(const Values<Real>& logits, const std::vector<int>& labels) {
  const std::size_t rows = labels.size(), classes = rows == 0 ? 0 : logits.size() / rows;
  LossRows<Real> result{Values<Real>(rows, Real(0)), Values<Real>(rows * classes, Real(0))};
  for (std::size_t b = 0; b < rows; ++b) {
    if (labels[b] < 0 || labels[b] >= static_cast<int>(classes)) continue;
    const auto label = static_cast<std::size_t>(labels[b]);
    const auto p = softmax(&logits[b * classes], classes);
    result.loss[b] = -log_softmax(&logits[b * classes], classes)[label];
    for (std::size_t c = 0; c < classes; ++c) {
      const Real wanted(c == label ? 1.0 : 0.0);
      result.grad_logits[b * classes + c] = (p[c] - wanted) / Real(static_cast<double>(rows));
    }
  }
  return result;
}

}  // namespace foxhunt::oracle
