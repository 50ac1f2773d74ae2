// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <iostream>

#include "tests/trainer_hooks/reference/tiny_trainer.h"

namespace foxhunt::test {
namespace {

struct Learnt {
  // Means over the first and the last quarter of the steps.
  TrainerProgress first, last;
};

Learnt learn(float learning_rate, int steps) {
  const int quarter = steps / 4;
  const float share = 1.0f / static_cast<float>(quarter);
  TrainerOptions options;
  options.sizes.envs = 16;
  options.sizes.batch = 8;
  options.sizes.window = 4;
  options.sizes.width = 16;
  options.sizes.hidden = 16;
  options.sizes.capacity = 256;
  options.learning_rate = learning_rate;
  Dumper disarmed;
  IntegratedTrainer trainer(options, index_prices(), disarmed);
  Learnt learnt;
  for (int n = 0; n < steps; ++n) {
    const TrainerProgress p = trainer.step();
    TrainerProgress* const to = n < quarter            ? &learnt.first
                                : n >= steps - quarter ? &learnt.last
                                                       : nullptr;
    if (to == nullptr) continue;
    to->reward += p.reward * share;
    to->q += p.q * share;
    to->iqn += p.iqn * share;
    to->frd += p.frd * share;
    to->outcome += p.outcome * share;
  }
  std::cout << "learning rate " << learning_rate << ": reward " << learnt.first.reward << " -> "
            << learnt.last.reward << ", q " << learnt.first.q << " -> " << learnt.last.q << ", iqn "
            << learnt.first.iqn << " -> " << learnt.last.iqn << ", frd " << learnt.first.frd
            << " -> " << learnt.last.frd << ", outcome " << learnt.first.outcome << " -> "
            << learnt.last.outcome << "\n";
  return learnt;
}

TEST(Learning, AFrozenNetworkLosesItsTradingCosts) {
  const Learnt frozen = learn(0.0f, 600);
  EXPECT_LT(frozen.last.reward, -0.02f);
  EXPECT_GT(frozen.last.q, 0.95f * frozen.first.q);
}

TEST(Learning, BeatsRandomAndAlwaysFlatAgentsAfterCosts) {
  const Learnt learnt = learn(3e-3f, 2000);
  // Always flat earns nothing; a random agent what a frozen network does, or less.
  EXPECT_GT(learnt.last.reward, 0.02f);
  EXPECT_LT(learnt.last.q, 0.9f * learnt.first.q);
  EXPECT_LT(learnt.last.iqn, 0.9f * learnt.first.iqn);
  EXPECT_LT(learnt.last.frd, 0.99f * learnt.first.frd);
  EXPECT_LT(learnt.last.outcome, 0.99f * learnt.first.outcome);
}

}  // namespace
}  // namespace foxhunt::test
