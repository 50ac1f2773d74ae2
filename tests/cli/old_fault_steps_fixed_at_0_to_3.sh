#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The older script compared steps 0 to 3 whatever the runs held.
. "$(dirname "$0")/scenario.sh"

make-run a bare <<< '4 g sampled_h_t f32 1 1'
make-run b bare <<< '4 g sampled_h_t f32 1 2'
expect 1 compare-backward-state a b
says out 'DIVERGED at step 4'
make-run c bare <<< '123456 g sampled_h_t f32 1 1'
make-run d bare <<< '123456 g sampled_h_t f32 1 2'
expect 1 compare-backward-state c d
