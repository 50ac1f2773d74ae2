#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Two runs that hold the same bytes: bare, with manifests, as digests only, and mixed.
. "$(dirname "$0")/scenario.sh"

for kind in bare full digest; do
  for run in a b; do
    make-run $kind-$run $kind <<'END'
0 g sampled_h_t f32 2x2 1 2 3 4
0 h pi_logits f32 3 0.5
7 g sampled_h_t f32 2x2 5
END
  done
  expect 0 compare-backward-state $kind-a $kind-b
  says out 'IDENTICAL: 3 buffers in 2 steps equal bit for bit'
  is_empty err
done
expect 0 compare-backward-state full-a digest-b
expect 0 compare-backward-state bare-a full-b
