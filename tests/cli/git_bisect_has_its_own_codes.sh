#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `git bisect run` takes 125 for "skip" and stops at 129, wherever the option stands.
. "$(dirname "$0")/scenario.sh"

make-run a full <<< '0 g x f32 1 1'
make-run b full <<< '0 g x f32 1 1'
make-run c full <<< '0 g x f32 1 2'
expect 0 compare-backward-state --git-bisect a b
expect 1 compare-backward-state --git-bisect a c
expect 125 compare-backward-state --git-bisect a missing
expect 129 compare-backward-state --git-bisect a
expect 129 compare-backward-state --no-such-option a b --git-bisect
expect 129 compare-backward-state --steps 3-1 a b --git-bisect
expect 125 compare-backward-state --format json --git-bisect a missing
json out 'd["exit_code"] == 125 and d["verdict"] == "unverified"'
