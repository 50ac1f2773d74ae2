// SPDX-License-Identifier: MIT
#include "kernels/encoder/attention_pool_oracle.h"

#include <cmath>

#include "kernels/encoder/oracle_parts.h"

namespace foxhunt::oracle {
namespace {

// softmax over the window of q . x[t] / sqrt(H).
template <class Real>
std::vector<Real> weights_of(const Real* x, const std::vector<Real>& q, int window, int hidden) {
  std::vector<Real> scores;
  for (int t = 0; t < window; t++) {
    Real dot = 0.0;
    for (int h = 0; h < hidden; h++) dot += q[at(h)] * x[t * hidden + h];
    scores.push_back(dot / sqrt(Real(hidden)));
  }
  return softmax(scores);
}

}  // namespace

template <class Real>
std::vector<Real> attention_pool_fwd(const std::vector<Real>& x, const std::vector<Real>& q,
                                     int batch, int window, int hidden) {
  std::vector<Real> out;
  for (int b = 0; b < batch; b++) {
    const Real* rows = x.data() + at(b, window * hidden);
    const std::vector<Real> weights = weights_of(rows, q, window, hidden);
    for (int h = 0; h < hidden; h++) {
      Real sum = 0.0;
      for (int t = 0; t < window; t++) sum += weights[at(t)] * rows[t * hidden + h];
      out.push_back(sum);
    }
  }
  return out;
}

template <class Real>
AttentionPoolGradients<Real> attention_pool_bwd(const std::vector<Real>& x,
                                                const std::vector<Real>& q,
                                                const std::vector<Real>& grad_out, int batch,
                                                int window, int hidden) {
  AttentionPoolGradients<Real> grad;
  for (int b = 0; b < batch; b++) {
    const Real* rows = x.data() + at(b, window * hidden);
    const Real* g = grad_out.data() + at(b, hidden);
    const std::vector<Real> weights = weights_of(rows, q, window, hidden);
    std::vector<Real> grad_weights;
    for (int t = 0; t < window; t++) {
      Real dot = 0.0;
      for (int h = 0; h < hidden; h++) dot += g[h] * rows[t * hidden + h];
      grad_weights.push_back(dot);
    }
    const std::vector<Real> grad_scores = softmax_gradient(weights, grad_weights);
    const Real scale = Real(1.0) / sqrt(Real(hidden));
    for (int h = 0; h < hidden; h++) {
      Real sum = 0.0;
      for (int t = 0; t < window; t++) {
        sum += grad_scores[at(t)] * scale * rows[t * hidden + h];
      }
      grad.q.push_back(sum);
    }
    for (int t = 0; t < window; t++) {
      for (int h = 0; h < hidden; h++) {
        grad.x.push_back(weights[at(t)] * g[h] + grad_scores[at(t)] * scale * q[at(h)]);
      }
    }
  }
  return grad;
}

template std::vector<double> attention_pool_fwd(const std::vector<double>&,
                                                const std::vector<double>&, int, int, int);
template std::vector<Rounded> attention_pool_fwd(const std::vector<Rounded>&,
                                                 const std::vector<Rounded>&, int, int, int);
template AttentionPoolGradients<double> attention_pool_bwd(const std::vector<double>&,
                                                           const std::vector<double>&,
                                                           const std::vector<double>&, int, int,
                                                           int);
template AttentionPoolGradients<Rounded> attention_pool_bwd(const std::vector<Rounded>&,
                                                            const std::vector<Rounded>&,
                                                            const std::vector<Rounded>&, int, int,
                                                            int);

}  // namespace foxhunt::oracle
