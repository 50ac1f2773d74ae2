// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/heads/iqn.h"
#include "kernels/heads/value_support_oracle.h"

namespace foxhunt::oracle {

template <class Real>
struct IqnWeights {
  Values<Real> tau_w, tau_b, w, b;
};

template <class Real>
struct IqnForward {
  Values<Real> cosines, embedding, quantile_values, q_values;  // as in iqn.h, before the ReLU
};

// taus[B,N] are given: which they are is Philox's business.
template <class Real>
IqnForward<Real> iqn_forward(const Values<Real>& h, const Values<Real>& taus,
                             const IqnWeights<Real>& weights, const IqnShape& shape) {
  const auto quantiles = static_cast<std::size_t>(shape.quantiles);
  const auto hidden = static_cast<std::size_t>(shape.hidden);
  const auto actions = static_cast<std::size_t>(shape.actions);
  const std::size_t fractions = taus.size();
  IqnForward<Real> f;
  for (const Real& tau : taus) {
    for (int i = 0; i < shape.cosines; ++i) {
      f.cosines.push_back(cos_pi(Real(static_cast<double>(i)) * tau));
    }
  }
  f.embedding = linear(f.cosines, weights.tau_w, weights.tau_b, fractions);
  Values<Real> product;
  for (std::size_t k = 0; k < fractions; ++k) {
    for (std::size_t j = 0; j < hidden; ++j) {
      const Real e = f.embedding[k * hidden + j];
      // A ReLU passes on the uncertainty of what it cuts off just below 0.
      product.push_back(h[k / quantiles * hidden + j] *
                        (value_of(e) > 0 ? e : e - Real(value_of(e))));
    }
  }
  f.quantile_values = linear(product, weights.w, weights.b, fractions);
  for (std::size_t b = 0; b < fractions / quantiles; ++b) {
    for (std::size_t a = 0; a < actions; ++a) {
      Real sum(0);
      for (std::size_t n = 0; n < quantiles; ++n) {
        sum += f.quantile_values[(b * quantiles + n) * actions + a];
      }
      f.q_values.push_back(sum / Real(static_cast<double>(quantiles)));
    }
  }
  return f;
}

}  // namespace foxhunt::oracle
