#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A run whose writer died, or that stopped at a limit, is equal only as far as it goes; a difference
# in it is a difference all the same.
. "$(dirname "$0")/scenario.sh"

lines='0 g sampled_h_t f32 2 1 2'
make-run a full <<< "$lines"
make-run open full open <<< "$lines"
make-run cut full cut <<< "$lines"
make-run other full open <<< '0 g sampled_h_t f32 2 1 3'
for run in open cut; do
  expect 2 compare-backward-state a $run
  says out 'UNVERIFIED: equal as far as both go (1 buffer in 1 step)'
  says out "[${run}_run]"
done
expect 1 compare-backward-state a other
says out 'DIVERGED at step 0'
