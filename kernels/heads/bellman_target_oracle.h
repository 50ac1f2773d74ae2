// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <limits>

#include "kernels/heads/value_support_oracle.h"

namespace foxhunt::oracle {

template <class Real>
struct BellmanInputs {
  Values<Real> target_q_logits, target_v, v_pred, rewards, dones;
};

template <class Real>
struct BellmanTarget {
  Values<Real> target, td_error;
  std::vector<double> lead;  // [B], of a* over the second best; infinite without a second
};

template <class Real>
BellmanTarget<Real> bellman_target(const BellmanInputs<Real>& in, std::size_t actions,
                                   const ValueSupport& support, float discount) {
  using std::abs;
  const auto atoms = static_cast<std::size_t>(support.atoms);
  const Real low(double{support.v_min}), high(double{support.v_max});
  const Real gap = (high - low) / Real(support.atoms - 1.0);
  BellmanTarget<Real> result;
  result.target.assign(in.rewards.size() * atoms, Real(0));
  for (std::size_t b = 0; b < in.rewards.size(); ++b) {
    const auto row = [&](const Values<Real>& logits, std::size_t a) {
      return &logits[(b * actions + a) * atoms];
    };
    std::size_t best = 0;
    Values<Real> means;
    for (std::size_t a = 0; a < actions; ++a) {
      means.push_back(expected_value(row(in.target_q_logits, a), support));
      if (means[a] > means[best]) best = a;
    }
    result.lead.push_back(std::numeric_limits<double>::infinity());
    for (std::size_t a = 0; a < actions; ++a) {
      if (a == best) continue;
      result.lead[b] = std::min(result.lead[b], value_of(means[best]) - value_of(means[a]));
    }
    const Real kept = Real(double{discount}) * (Real(1) - in.dones[b]);
    const auto p = softmax(row(in.target_q_logits, best), atoms);
    for (std::size_t j = 0; j < atoms; ++j) {
      Real v = in.rewards[b] + kept * atom_value<Real>(support, j);
      if (v < low) v = low;
      if (v > high) v = high;
      const Real position = (v - low) / gap;
      for (std::size_t i = 0; i < atoms; ++i) {
        const Real distance = abs(position - Real(static_cast<double>(i)));
        // Just outside, the share is 0, but rounding may make it one of a few u.
        if (value_of(distance) > 1 + 1e-5) continue;
        Real share = Real(1) - distance;
        if (value_of(share) < 0) share = share - Real(value_of(share));
        result.target[b * atoms + i] += p[j] * share;
      }
    }
    result.td_error.push_back(in.rewards[b] + kept * in.target_v[b] - in.v_pred[b]);
  }
  return result;
}

}  // namespace foxhunt::oracle
