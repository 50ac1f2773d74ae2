// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/heads/iqn_oracle.h"

namespace foxhunt::oracle {

template <class Real>
struct IqnGradients {
  Values<Real> loss;      // [B]
  Values<Real> quantile;  // [B,N], at the action taken
  Values<Real> h;         // [B,H]: iqn_grad_hadamard
  IqnWeights<Real> weights;
};

template <class Real>
Real quantile_huber(Real tau, Real u, double kappa) {
  using std::abs;
  const Real huber =
      value_of(abs(u)) <= kappa ? u * u * Real(0.5) : Real(kappa) * (abs(u) - Real(0.5 * kappa));
  return abs(tau - Real(value_of(u) < 0 ? 1.0 : 0.0)) * huber / Real(kappa);
}

template <class Real>
IqnGradients<Real> iqn_grad(const Values<Real>& h, const Values<Real>& taus,
                            const IqnWeights<Real>& weights, const IqnForward<Real>& forward,
                            const Values<Real>& bellman_target, const std::vector<int>& taken,
                            const IqnShape& shape, const ValueSupport& support, double kappa) {
  using std::abs;
  const auto quantiles = static_cast<std::size_t>(shape.quantiles);
  const auto hidden = static_cast<std::size_t>(shape.hidden);
  const auto actions = static_cast<std::size_t>(shape.actions);
  const auto cosines = static_cast<std::size_t>(shape.cosines);
  const auto atoms = static_cast<std::size_t>(support.atoms);
  const auto zeros = [](const Values<Real>& like) { return Values<Real>(like.size(), Real(0)); };
  IqnGradients<Real> g{
      {},
      {},
      zeros(h),
      {zeros(weights.tau_w), zeros(weights.tau_b), zeros(weights.w), zeros(weights.b)}};
  for (std::size_t b = 0; b < taken.size(); ++b) {
    const auto action = static_cast<std::size_t>(taken[b]);
    Real loss(0);
    for (std::size_t n = 0; n < quantiles; ++n) {
      const std::size_t k = b * quantiles + n;
      Real row(0), dq(0);
      for (std::size_t z = 0; z < atoms; ++z) {
        const Real p = bellman_target[b * atoms + z];
        const Real u = atom_value<Real>(support, z) - forward.quantile_values[k * actions + action];
        row += p * quantile_huber(taus[k], u, kappa);
        Real slope = u;
        if (value_of(slope) > kappa) slope = Real(kappa);
        if (value_of(slope) < -kappa) slope = Real(-kappa);
        dq += -(p * abs(taus[k] - Real(value_of(u) < 0 ? 1.0 : 0.0)) / Real(kappa)) * slope;
      }
      loss += row;
      dq = dq / Real(static_cast<double>(quantiles * taken.size()));
      g.quantile.push_back(dq);
      g.weights.b[action] += dq;
      for (std::size_t j = 0; j < hidden; ++j) {
        const Real e = forward.embedding[k * hidden + j];
        if (!(value_of(e) > 0)) continue;
        const Real x = h[b * hidden + j], w = weights.w[j * actions + action];
        g.weights.w[j * actions + action] += dq * e * x;
        g.h[b * hidden + j] += dq * e * w;
        const Real de = dq * (x * w);
        g.weights.tau_b[j] += de;
        for (std::size_t i = 0; i < cosines; ++i) {
          g.weights.tau_w[i * hidden + j] += de * forward.cosines[k * cosines + i];
        }
      }
    }
    g.loss.push_back(loss / Real(static_cast<double>(quantiles)));
  }
  return g;
}

}  // namespace foxhunt::oracle
