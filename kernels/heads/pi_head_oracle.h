// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/heads/cross_entropy_oracle.h"
#include "kernels/heads/pi_head.h"

namespace foxhunt::oracle {

template <class Real>
LossRows<Real> policy_loss(const Values<Real>& logits, const std::vector<int>& taken,
                           const Values<Real>& log_pi_old, const Values<Real>& advantage,
                           const PolicyLoss& loss) {
  using std::exp;
  const std::size_t batch = taken.size(), actions = batch == 0 ? 0 : logits.size() / batch;
  const Real entropy_weight(double{loss.entropy_weight});
  const Real low = Real(1) - Real(double{loss.clip}), high = Real(1) + Real(double{loss.clip});
  LossRows<Real> result;
  for (std::size_t b = 0; b < batch; ++b) {
    const auto p = softmax(&logits[b * actions], actions);
    const auto log_p = log_softmax(&logits[b * actions], actions);
    const auto action = static_cast<std::size_t>(taken[b]);
    const Real ratio = exp(log_p[action] - log_pi_old[b]);
    const Real clamped = ratio < low ? low : ratio > high ? high : ratio;
    const Real free = ratio * advantage[b], clipped = clamped * advantage[b];
    const bool flows = !(free > clipped);
    Real entropy(0);
    for (std::size_t a = 0; a < actions; ++a) entropy += -(p[a] * log_p[a]);
    result.loss.push_back(-(flows ? free : clipped) - entropy_weight * entropy);
    for (std::size_t a = 0; a < actions; ++a) {
      Real gradient = entropy_weight * (p[a] * (log_p[a] + entropy));
      if (flows) gradient += -free * (Real(a == action ? 1.0 : 0.0) - p[a]);
      result.grad_logits.push_back(gradient / Real(static_cast<double>(batch)));
    }
  }
  return result;
}

}  // namespace foxhunt::oracle
