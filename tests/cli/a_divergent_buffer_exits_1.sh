#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A difference is found, measured and named, in both reports.
. "$(dirname "$0")/scenario.sh"

make-run a full <<'END'
0 g sampled_h_t f32 2 1 2
1 h pi_logits f32 2x3 1 1 1 1 1 1
END
make-run b full <<'END'
0 g sampled_h_t f32 2 1 2
1 h pi_logits f32 2x3 1 1 1 1 1.5 1
END
expect 1 compare-backward-state a b
says out 'DIVERGED at step 1: pi_logits (h)'
says out '1 of 6 elements differ'
says out 'first [1,1], last [1,1]'
says out 'max |a-b| 0.5'
says out 'DIFFERS'
expect 1 compare-backward-state --format json a b
json out 'd["verdict"] == "diverged" and d["exit_code"] == 1'
json out 'd["first_divergence"]["step"] == 1 and d["first_divergence"]["groups"] == ["h"]'
json out '[o["buffer"] for o in d["first_divergence"]["origins"]] == ["pi_logits"]'
json out 'len(d["buffers"]) == 1 and d["buffers"][0]["status"] == "diverged"'
json out 'd["buffers"][0]["first_index"] == 4 and d["buffers"][0]["differing"] == 1'
json out 'd["buffers"][0]["max_abs"] == 0.5 and d["buffers"][0]["elements"] == 6'
