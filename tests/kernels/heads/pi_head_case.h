// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/heads/pi_head.h"
#include "tests/kernels/heads/floats.h"
#include "tests/kernels/heads/outputs.h"
#include "tests/kernels/heads/random_inputs.h"

namespace foxhunt::heads_test {

struct PiHeadCase {
  PiHeadCase(int batch_, int hidden_, int actions_, float entropy_weight)
      : batch(batch_), hidden(hidden_), actions(actions_), loss{0.2f, entropy_weight} {
    RandomInputs random(103);
    h = random.normal(count(batch, hidden));
    w = random.normal(count(hidden, actions), 0.2f);
    b = random.normal(count(actions), 0.2f);
    taken = random.integers(count(batch), 0, actions - 1);
    // Ratios on both sides of both clips.
    log_pi_old = random.uniform(count(batch), -2.5f, -0.3f);
    advantage = random.normal(count(batch));
  }

  Outputs run() const {
    Floats d_h(h), d_w(w), d_b(b), old(log_pi_old), adv(advantage), logits(count(batch, actions)),
        rows(count(batch)), grad_logits(count(batch, actions)), grad_h(count(batch, hidden)),
        grad_w(count(hidden, actions)), grad_b(count(actions));
    test::DeviceArray<int> d_taken(taken);
    pi_head_fwd(d_h.get(), d_w.get(), d_b.get(), batch, hidden, actions, logits.get(), nullptr);
    pi_head_bwd({logits.get(), d_taken.get(), old.get(), adv.get()}, d_w.get(), batch, hidden,
                actions, loss, rows.get(), grad_logits.get(), grad_h.get(), nullptr);
    pi_head_bwd_weights(d_h.get(), grad_logits.get(), batch, hidden, actions, grad_w.get(),
                        grad_b.get(), nullptr);
    return {{"logits", logits.read()}, {"loss", rows.read()},
            {"grad_h", grad_h.read()}, {"grad_logits", grad_logits.read()},
            {"grad_w", grad_w.read()}, {"grad_b", grad_b.read()}};
  }

  int batch, hidden, actions;
  PolicyLoss loss;
  std::vector<float> h, w, b, log_pi_old, advantage;
  std::vector<int> taken;
};

}  // namespace foxhunt::heads_test
