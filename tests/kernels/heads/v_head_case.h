// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/heads/v_head.h"
#include "tests/kernels/heads/floats.h"
#include "tests/kernels/heads/outputs.h"
#include "tests/kernels/heads/random_inputs.h"

namespace foxhunt::heads_test {

struct VHeadCase {
  VHeadCase(int batch_, int hidden_, int atoms) : batch(batch_), hidden(hidden_) {
    support = {-3.0f, 5.0f, atoms};
    RandomInputs random(102);
    h = random.normal(count(batch, hidden));
    w = random.normal(count(hidden), 0.3f);
    b = random.normal(1);
    target = random.distributions(count(batch), count(atoms));
  }

  Outputs run() const {
    Floats d_h(h), d_w(w), d_b(b), d_target(target), v(count(batch)), loss(count(batch)),
        grad_v(count(batch)), grad_h(count(batch, hidden)), grad_w(count(hidden)), grad_b(1);
    v_head_fwd(d_h.get(), d_w.get(), d_b.get(), batch, hidden, v.get(), nullptr);
    v_head_bwd(v.get(), d_target.get(), d_w.get(), batch, hidden, support, loss.get(), grad_v.get(),
               grad_h.get(), nullptr);
    v_head_bwd_weights(d_h.get(), grad_v.get(), batch, hidden, grad_w.get(), grad_b.get(), nullptr);
    return {{"v", v.read()},           {"loss", loss.read()},     {"grad_v", grad_v.read()},
            {"grad_h", grad_h.read()}, {"grad_w", grad_w.read()}, {"grad_b", grad_b.read()}};
  }

  int batch, hidden;
  ValueSupport support;
  std::vector<float> h, w, b, target;
};

}  // namespace foxhunt::heads_test
