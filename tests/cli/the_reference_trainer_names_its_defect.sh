#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The reference trainer: its bits depend on no schedule, a defect is named by its kernel and proven,
# an altered buffer is found where it was altered, and what cannot be is an error that says why.
. "$(dirname "$0")/scenario.sh"
small=(--steps 3 --batch 8 --hidden 16 --window 4 --width 16 --capacity 256)

record() {
  local directory=$1
  shift
  FOXHUNT_DETERMINISM_DEBUG_BACKWARD=1 FOXHUNT_DETERMINISM_DIR=$directory \
    foxhunt-train "${small[@]}" "$@" > "$directory.out" 2> "$directory.err" ||
    fail "$directory: exit $?"
}

record equal_a
record equal_b
expect 0 compare-backward-state equal_a equal_b
says out IDENTICAL
says out 'made alike, but for the order'
expect 0 inspect-run equal_a verify
says equal_a.out 'backend simt, schedule seed '
[ "$(tail -n 1 equal_a.out)" = "$(tail -n 1 equal_b.out)" ] || fail 'the final states differ'

# Disarmed: the same bits, and nothing on the disk.
mkdir disarmed && cd disarmed || exit 1
foxhunt-train "${small[@]}" > ../disarmed.out
[ -z "$(ls -A)" ] || fail 'a disarmed run left files'
cd ..
[ "$(tail -n 1 equal_a.out)" = "$(tail -n 1 disarmed.out)" ] || fail 'dumping changed the bits'

record defect_a --variant reduce_axis0=float_atomics --schedule-seed 3
record defect_b --variant reduce_axis0=float_atomics --schedule-seed 4
expect 1 compare-backward-state --report-path report.json defect_a defect_b
json report.json '{o["kernel"] for o in d["first_divergence"]["origins"]} == {"reduce_axis0"}'
json report.json '{o["claim"] for o in d["first_divergence"]["origins"]} == {"proven"}'

record altered --inject buffer=grad_h_t_pi,step=1,kind=ulp
expect 1 compare-backward-state --report-path report.json equal_a altered
json report.json 'd["first_divergence"]["step"] == 1'
json report.json '[o["buffer"] for o in d["first_divergence"]["origins"]] == ["grad_h_t_pi"]'
says altered.out 'behind pi_head_bwd: bytes changed'

expect 0 foxhunt-train --variant help
says out 'adam_step=racing_step_counter'
expect 2 foxhunt-train --variant reduce_axis0=nonsense
says err 'float_atomics'
expect 2 foxhunt-train --inject buffer=nonsense
expect 2 foxhunt-train --data nowhere.csv
says err 'nowhere.csv'
expect 0 foxhunt-train "${small[@]}" --determinism-audit --require-deterministic
says out 'reduce_axis0'
expect 1 foxhunt-train --require-deterministic --variant reduce_axis0=float_atomics
says out 'OFF  reduce_axis0'
