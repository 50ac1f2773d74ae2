#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# More than two runs: which are alike, where they part, and what cannot be told.
. "$(dirname "$0")/scenario.sh"

same='0 g x f32 1 1
1 g x f32 1 1'
other='0 g x f32 1 1
1 g x f32 1 2'
for run in a b c; do make-run $run full <<< "$same"; done
for run in d e; do make-run $run full <<< "$other"; done
make-run open full open <<< "$same"
expect 0 compare-backward-state a b c
says out 'IDENTICAL: all 3 runs'
expect 1 compare-backward-state a d b e c
says out 'DIVERGED: 5 runs fall into 2 clusters; they first part at step 1'
says out 'A (3 of 5): a, b, c'
says out 'B (2 of 5): d, e'
expect 1 compare-backward-state --format json a d b e c
json out '[c["members"] for c in d["clusters"]] == [[0, 2, 4], [1, 3]]'
json out 'd["first_divergence"]["step"] == 1 and d["first_divergence"]["runs"] == [0, 1]'
expect 2 compare-backward-state a b open
says out 'may be equal to A'
expect 1 compare-backward-state a open d
expect 2 compare-backward-state a b a
expect 2 compare-backward-state a b missing
expect 125 compare-backward-state --git-bisect a b missing
