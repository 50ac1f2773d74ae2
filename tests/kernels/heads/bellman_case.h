// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/heads/bellman_target.h"
#include "kernels/heads/dueling_compose.h"
#include "tests/kernels/heads/floats.h"
#include "tests/kernels/heads/outputs.h"
#include "tests/kernels/heads/random_inputs.h"

namespace foxhunt::heads_test {

struct BellmanCase {
  BellmanCase(int batch_, int actions_, int atoms)
      : batch(batch_), actions(actions_), support{-4.0f, 6.0f, atoms} {
    RandomInputs random(108);
    target_q_logits = random.normal(count(batch, actions, atoms));
    q_logits = random.normal(count(batch, actions, atoms));
    target_v = random.normal(count(batch));
    rewards = random.normal(count(batch), 2.0f);
    v_pred = random.normal(count(batch));
    for (const int d : random.integers(count(batch), 0, 3)) dones.push_back(d == 0 ? 1.0f : 0.0f);
  }

  Outputs run(BellmanTargetVariant variant = BellmanTargetVariant::deterministic) const {
    Floats target_q(target_q_logits), v(target_v), now(v_pred), r(rewards), d(dones),
        target(count(batch, support.atoms)), td_error(count(batch));
    bellman_target_projection({target_q.get(), v.get(), now.get(), r.get(), d.get()}, batch,
                              actions, support, discount, target.get(), td_error.get(), nullptr,
                              variant);
    return {{"target", target.read()}, {"td_error", td_error.read()}};
  }

  Outputs compose() const {
    Floats q_in(q_logits), v(target_v), q(count(batch, actions));
    dueling_compose(q_in.get(), v.get(), batch, actions, support, q.get(), nullptr);
    return {{"q", q.read()}};
  }

  int batch, actions;
  ValueSupport support;
  float discount = 0.97f;
  std::vector<float> target_q_logits, target_v, v_pred, q_logits, rewards, dones;
};

}  // namespace foxhunt::heads_test
