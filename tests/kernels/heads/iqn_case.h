// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/heads/iqn_grad.h"
#include "tests/kernels/heads/floats.h"
#include "tests/kernels/heads/outputs.h"
#include "tests/kernels/heads/random_inputs.h"

namespace foxhunt::heads_test {

struct IqnCase {
  explicit IqnCase(IqnShape shape_, int atoms = 11) : shape(shape_) {
    support = {-4.0f, 6.0f, atoms};
    RandomInputs random(109);
    h = random.normal(count(shape.batch, shape.hidden));
    tau_w = random.normal(count(shape.cosines, shape.hidden), 0.5f);
    tau_b = random.normal(count(shape.hidden));
    w = random.normal(count(shape.hidden, shape.actions), 0.4f);
    b = random.normal(count(shape.actions));
    target = random.distributions(count(shape.batch), count(atoms));
    taken = random.integers(count(shape.batch), 0, shape.actions - 1);
  }

  // Forward and backward.
  Outputs run(IqnVariant forward = IqnVariant::deterministic,
              IqnGradVariant backward = IqnGradVariant::deterministic) const {
    const auto [batch, hidden, actions, quantiles, cosines] = shape;
    Floats d_h(h), d_tau_w(tau_w), d_tau_b(tau_b), d_w(w), d_b(b), d_target(target);
    test::DeviceArray<int> d_taken(taken);
    test::DeviceArray<std::uint64_t> d_rng(rng);
    test::DeviceArray<unsigned> counter(1);
    Floats taus(count(batch, quantiles)), cosine(count(batch, quantiles, cosines)),
        embedding(count(batch, quantiles, hidden)), values(count(batch, quantiles, actions)),
        q(count(batch, actions)), loss(count(batch)), grad_quantile(count(batch, quantiles)),
        row_embedding(count(batch, hidden)), hadamard(count(batch, hidden)),
        grad_embedding(count(batch, quantiles, hidden)), grad_tau_w(count(cosines, hidden)),
        grad_tau_b(count(hidden)), grad_w(count(hidden, actions)), grad_b(count(actions));
    const IqnWeights weights{d_tau_w.get(), d_tau_b.get(), d_w.get(), d_b.get()};
    const IqnActivations activations{taus.get(), cosine.get(), embedding.get(), values.get(),
                                     counter.get()};
    rl_iqn_forward(d_h.get(), d_rng.get(), weights, shape, activations, q.get(), nullptr, forward);
    const IqnGradInputs in{d_h.get(),   d_target.get(), d_taken.get(), weights,
                           activations, support,        kappa};
    const IqnGradOutputs out{loss.get(), grad_quantile.get(), row_embedding.get(), hadamard.get()};
    iqn_bwd_relu_hadamard(in, shape, out, nullptr, backward);
    iqn_bwd_weights(
        in, shape, out,
        {grad_embedding.get(), grad_tau_w.get(), grad_tau_b.get(), grad_w.get(), grad_b.get()},
        nullptr);
    return {{"taus", taus.read()},
            {"cosines", cosine.read()},
            {"embedding", embedding.read()},
            {"quantile_values", values.read()},
            {"q_values", q.read()},
            {"loss", loss.read()},
            {"grad_quantile", grad_quantile.read()},
            {"row_embedding", row_embedding.read()},
            {"grad_hadamard", hadamard.read()},
            {"grad_embedding", grad_embedding.read()},
            {"grad_tau_w", grad_tau_w.read()},
            {"grad_tau_b", grad_tau_b.read()},
            {"grad_w", grad_w.read()},
            {"grad_b", grad_b.read()}};
  }

  IqnShape shape;
  ValueSupport support;
  float kappa = 1.0f;
  std::vector<float> h, tau_w, tau_b, w, b, target;
  std::vector<int> taken;
  std::vector<std::uint64_t> rng = {test::test_seed(), 7};
};

}  // namespace foxhunt::heads_test
