// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/heads/dqn_grad.h"
#include "kernels/heads/dqn_head.h"
#include "tests/kernels/heads/floats.h"
#include "tests/kernels/heads/outputs.h"
#include "tests/kernels/heads/random_inputs.h"

namespace foxhunt::heads_test {

// The C51 head on top of a noisy layer, forward and backward.
struct DqnCase {
  DqnCase(int batch_, int hidden_, int width_, int actions_, int atoms_)
      : batch(batch_), hidden(hidden_), width(width_), actions(actions_), atoms(atoms_) {
    RandomInputs random(107);
    h = random.normal(count(batch, hidden));
    w_mu = random.normal(count(hidden, width), 0.3f);
    w_sigma = random.normal(count(hidden, width), 0.1f);
    b_mu = random.normal(count(width));
    b_sigma = random.normal(count(width), 0.1f);
    eps = random.normal(count(hidden + width));
    noisy_hidden = random.normal(count(batch, width));
    w = random.normal(count(width, actions, atoms), 0.2f);
    b = random.normal(count(actions, atoms));
    target = random.distributions(count(batch), count(atoms));
    is_weight = random.uniform(count(batch), 0.2f, 1.0f);
    taken = random.integers(count(batch), 0, actions - 1);
    iqn_grad = random.normal(count(batch, hidden), 0.01f);
  }

  Outputs forward(DqnHeadVariant variant = DqnHeadVariant::deterministic) const {
    Floats x(noisy_hidden), d_w(w), d_b(b), q(count(batch, actions, atoms));
    dqn_head_fwd(x.get(), d_w.get(), d_b.get(), batch, width, actions, atoms, q.get(), nullptr,
                 variant);
    return {{"q_logits", q.read()}};
  }

  Outputs backward(const std::vector<float>& q_logits,
                   DqnGradVariant variant = DqnGradVariant::deterministic) const {
    Floats d_h(h), d_w_mu(w_mu), d_w_sigma(w_sigma), d_b_mu(b_mu), d_b_sigma(b_sigma), d_eps(eps),
        x(noisy_hidden), d_w(w), q(q_logits), d_target(target), weight(is_weight), iqn(iqn_grad);
    test::DeviceArray<int> d_taken(taken);
    Floats loss(count(batch)), grad_q(count(batch, atoms)), grad_x(count(batch, width)),
        grad_h(count(batch, hidden)), grad_w(count(width, actions, atoms)),
        grad_b(count(actions, atoms)), grad_w_mu(count(hidden, width)),
        grad_w_sigma(count(hidden, width)), grad_b_mu(count(width)), grad_b_sigma(count(width));
    const NoisyLinear layer{d_w_mu.get(),    d_w_sigma.get(), d_b_mu.get(),
                            d_b_sigma.get(), hidden,          width};
    dqn_grad_w_b_h_t(
        {q.get(), d_target.get(), weight.get(), d_taken.get(), x.get(), d_w.get(), layer,
         d_eps.get(), iqn.get()},
        batch, actions, atoms,
        {loss.get(), grad_q.get(), grad_x.get(), grad_h.get(), grad_w.get(), grad_b.get()}, nullptr,
        variant);
    dqn_grad_noisy(d_h.get(), grad_x.get(), layer, d_eps.get(), batch, grad_w_mu.get(),
                   grad_w_sigma.get(), grad_b_mu.get(), grad_b_sigma.get(), nullptr);
    return {{"loss", loss.read()},           {"grad_q_taken", grad_q.read()},
            {"grad_h", grad_h.read()},       {"grad_noisy_hidden", grad_x.read()},
            {"grad_w", grad_w.read()},       {"grad_b", grad_b.read()},
            {"grad_w_mu", grad_w_mu.read()}, {"grad_w_sigma", grad_w_sigma.read()},
            {"grad_b_mu", grad_b_mu.read()}, {"grad_b_sigma", grad_b_sigma.read()}};
  }

  int batch, hidden, width, actions, atoms;
  std::vector<float> h, w_mu, w_sigma, b_mu, b_sigma, eps, noisy_hidden, w, b, target, is_weight,
      iqn_grad;
  std::vector<int> taken;
};

}  // namespace foxhunt::heads_test
