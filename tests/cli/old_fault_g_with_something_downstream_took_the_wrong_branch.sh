#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The older script looked elsewhere as soon as anything downstream of a divergent sample differed too.
. "$(dirname "$0")/scenario.sh"

run() { # NAME VALUE_OF_G VALUE_OF_H VALUE_OF_J
  make-run "$1" bare <<END
0 r rng_counters u64 1 1
0 p replay_h_t f32 2 1
0 p per_tree f32 2 1
0 g sampled_h_t f32 2 $2
0 h pi_logits f32 2 $3
0 j grad_h_t_pi f32 2 $4
END
}
run a 1 1 1
run with_h 2 2 1
run with_j 2 1 2
run with_both 2 2 2
for other in with_h with_j with_both; do
  expect 1 compare-backward-state --format json a $other
  json out 'd["first_divergence"]["origins"][0]["buffer"] == "sampled_h_t"'
  json out 'd["first_divergence"]["origins"][0]["kernel"] == "rl_per_sample"'
done
