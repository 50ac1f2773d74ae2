#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A run equals itself whatever happened: the same directory, a copy, hard links.
. "$(dirname "$0")/scenario.sh"

make-run a full <<< '0 g x f32 1 1'
make-run bare bare <<< '0 g x f32 1 1'
ln -s a link
cp -r a copy
mkdir linked
ln bare/step_0_g_x.bin linked/
for other in a ./a link copy; do
  expect 2 compare-backward-state a $other
  says out '[same_run]'
done
expect 2 compare-backward-state bare linked
says out '[same_run]'
