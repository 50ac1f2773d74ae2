#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Ranks: which one diverged first, and what became of each.
. "$(dirname "$0")/scenario.sh"

for run in a b; do
  for rank in 0 1 2; do
    for step in 0 5 6; do
      case $run$rank$step in
        b16 | b25) echo "$step g x f32 1 2" ;;
        *) echo "$step g x f32 1 1" ;;
      esac
    done | make-run $run/rank_$rank full
  done
done
expect 1 compare-backward-state a b
says out 'DIVERGED at step 5, first on rank 2'
says out 'rank 1: diverged at step 6'
expect 1 compare-backward-state --format json a b
json out 'd["first_divergence"]["rank"] == 2'
json out '[r["rank"] for r in d["ranks"] if r["verdict"] == "diverged"] == [1, 2]'
expect 0 inspect-run a list --rank 1
expect 2 inspect-run a show 0 x
says err '--rank'
expect 0 inspect-run b show 5 x --rank 2
says out '[0] 2'
expect 2 inspect-run a list --rank 7
