#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The older script skipped a file that only one run held.
. "$(dirname "$0")/scenario.sh"

make-run a bare <<'END'
0 g sampled_h_t f32 1 1
0 h pi_logits f32 1 1
END
make-run b bare <<< '0 g sampled_h_t f32 1 1'
make-run c bare <<< '0 g sampled_h_t f32 1 2'
for order in 'a b' 'b a'; do
  expect 2 compare-backward-state $order
  says out 'UNVERIFIED'
  says out 'pi_logits'
done
expect 2 compare-backward-state --format json a b
json out '[(b["name"], b["status"]) for b in d["buffers"]] == [("pi_logits", "missing_in_b")]'
# A difference elsewhere is a difference all the same.
expect 1 compare-backward-state a c
