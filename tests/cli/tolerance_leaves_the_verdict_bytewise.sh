#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Within tolerance is said beside the verdict; only --accept-tolerance lets the exit code go by it.
. "$(dirname "$0")/scenario.sh"

make-run a full <<'END'
0 g x f32 2 1 2
0 h y f32 1 100
END
for kind in open complete; do
  make-run b-$kind full $([ $kind = open ] && echo open) <<'END'
0 g x f32 2 1 2.5
0 h y f32 1 101
END
done
b=b-complete
expect 1 compare-backward-state --rtol 0.25 a $b
says out 'DIVERGED'
says out 'Every buffer that differs is within its tolerance'
expect 1 compare-backward-state --format json --atol 0.75 a $b
json out 'd["verdict"] == "diverged" and d["within_tolerance"] is False'
json out '[b["tolerance"]["within"] for b in d["buffers"]] == [True, False]'
json out 'd["buffers"][1]["tolerance"]["smallest_atol"] == 1'
expect 0 compare-backward-state --format json --rtol 0.25 --accept-tolerance a $b
json out 'd["verdict"] == "diverged" and d["exit_code"] == 0 and d["within_tolerance"]'
expect 1 compare-backward-state --rtol 0.1 --accept-tolerance a $b
# The first rule that matches holds.
expect 0 compare-backward-state --tolerance '^x=0,0.5' --tolerance '^y=0.1,0' --accept-tolerance a $b
expect 1 compare-backward-state --tolerance 'x=0,0.1' --rtol 1 --accept-tolerance a $b
# Nothing is accepted while something was not compared.
expect 2 compare-backward-state --rtol 1 --accept-tolerance a b-open
