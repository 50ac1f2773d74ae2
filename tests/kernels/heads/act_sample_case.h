// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/heads/act_sample.h"
#include "tests/kernels/heads/floats.h"
#include "tests/kernels/heads/outputs.h"
#include "tests/kernels/heads/random_inputs.h"

namespace foxhunt::heads_test {

struct ActSampleCase {
  ActSampleCase(int envs_, int actions_) : envs(envs_), actions(actions_) {
    logits = RandomInputs(104).normal(count(envs, actions), 1.5f);
  }

  Outputs run() const {
    Floats d_logits(logits), log_pi(count(envs));
    test::DeviceArray<std::uint64_t> d_rng(rng);
    test::DeviceArray<int> drawn(count(envs));
    act_sample(d_logits.get(), d_rng.get(), envs, actions, drawn.get(), log_pi.get(), nullptr);
    const std::vector<int> values = drawn.read();
    return {{"action", std::vector<float>(values.begin(), values.end())},
            {"log_pi", log_pi.read()}};
  }

  int envs, actions;
  std::vector<float> logits;
  std::vector<std::uint64_t> rng = {test::test_seed(), 5};
};

}  // namespace foxhunt::heads_test
