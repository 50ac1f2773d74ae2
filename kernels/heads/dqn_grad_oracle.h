// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/heads/noisy_linear_oracle.h"

namespace foxhunt::oracle {

template <class Real>
struct DqnLoss {
  Values<Real> loss, grad_q;  // [B]; [B,A,Z], of the mean loss
};

template <class Real>
DqnLoss<Real> dqn_loss(const Values<Real>& q_logits, const Values<Real>& bellman_target,
                       const Values<Real>& is_weight, const std::vector<int>& taken,
                       std::size_t actions) {
  const std::size_t batch = taken.size(), atoms = batch == 0 ? 0 : bellman_target.size() / batch;
  DqnLoss<Real> result{{}, Values<Real>(q_logits.size(), Real(0))};
  for (std::size_t b = 0; b < batch; ++b) {
    const std::size_t row = (b * actions + static_cast<std::size_t>(taken[b])) * atoms;
    const auto p = softmax(&q_logits[row], atoms), log_p = log_softmax(&q_logits[row], atoms);
    Real sum(0);
    for (std::size_t z = 0; z < atoms; ++z) {
      const Real target = bellman_target[b * atoms + z];
      sum += target * log_p[z];
      result.grad_q[row + z] = is_weight[b] / Real(static_cast<double>(batch)) * (p[z] - target);
    }
    result.loss.push_back(-is_weight[b] * sum);
  }
  return result;
}

template <class Real>
struct DqnGradients {
  Values<Real> loss;
  Values<Real> noisy_hidden, w, b;  // of the C51 head
  NoisyGradients<Real> noisy;       // of the layer below; noisy.x is the gradient at h
};

// The gradients of the mean loss of q_logits = (noisy layer of h) w + b.
template <class Real>
DqnGradients<Real> dqn_grad(const Values<Real>& h, const NoisyLinear<Real>& layer,
                            const Values<Real>& eps, const Values<Real>& noisy_hidden,
                            const Values<Real>& w, const Values<Real>& q_logits,
                            const Values<Real>& bellman_target, const Values<Real>& is_weight,
                            const std::vector<int>& taken, std::size_t actions) {
  const std::size_t batch = taken.size();
  const auto loss = dqn_loss(q_logits, bellman_target, is_weight, taken, actions);
  const auto head = linear_backward(noisy_hidden, w, loss.grad_q, batch, q_logits.size() / batch);
  return {loss.loss, head.x, head.w, head.b, noisy_linear_backward(h, layer, eps, head.x, batch)};
}

}  // namespace foxhunt::oracle
