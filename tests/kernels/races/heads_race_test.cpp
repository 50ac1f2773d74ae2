// SPDX-License-Identifier: MIT
// What the race detector says of the heads: nothing. Its word on their variants is in
// variants_race_test.cpp.
#include "tests/kernels/heads/act_sample_case.h"
#include "tests/kernels/heads/bellman_case.h"
#include "tests/kernels/heads/dqn_case.h"
#include "tests/kernels/heads/iqn_case.h"
#include "tests/kernels/heads/label_head_case.h"
#include "tests/kernels/heads/noisy_linear_case.h"
#include "tests/kernels/heads/pi_head_case.h"
#include "tests/kernels/heads/v_head_case.h"
#include "tests/kernels/races/race_test.h"

namespace foxhunt::heads_test {
namespace {

class HeadRaces : public test::RaceTest {};

TEST_F(HeadRaces, AreNoneInTheDefaults) {
  const DqnCase dqn(9, 6, 7, 2, 9);
  dqn.backward(dqn.forward().at("q_logits"));
  expect_none("dqn_head_fwd, dqn_grad_w_b_h_t");
  IqnCase({2, 10, 2, 6, 4}).run();
  expect_none("rl_iqn_forward, iqn_bwd_relu_hadamard");
  BellmanCase(2, 3, 11).run();
  expect_none("bellman_target_projection");
  BellmanCase(25, 3, 3).compose();
  expect_none("dueling_compose");
  NoisyLinearCase(9, 5, 90).run();
  expect_none("rl_noisy_linear_forward");
  LabelHeadCase(70, 3, 4).run(kFrdHead);
  expect_none("frd_head");
  LabelHeadCase(70, 3, 4).run(kOutcomeHead);
  expect_none("outcome_head");
  PiHeadCase(70, 3, 4, 0.01f).run();
  expect_none("pi_head");
  VHeadCase(70, 3, 4).run();
  expect_none("v_head");
  ActSampleCase(70, 3).run();
  expect_none("act_sample");
}

}  // namespace
}  // namespace foxhunt::heads_test
