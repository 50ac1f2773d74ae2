#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The example trainer: two runs end in the same bits, unless the reduction adds in arrival order;
# then that kernel is named, and proven, because the scratch it reads is equal.
. "$(dirname "$0")/scenario.sh"

record() {
  local directory=$1
  shift
  FOXHUNT_DETERMINISM_DEBUG_BACKWARD=1 FOXHUNT_DETERMINISM_DIR=$directory \
    foxhunt-market-example "$@" > "$directory.out" 2> "$directory.err" || fail "$directory: exit $?"
}

record equal_a
record equal_b
cmp equal_a.out equal_b.out || fail 'the losses differ'
expect 0 compare-backward-state equal_a equal_b
says out IDENTICAL
says_not out 'not dumped'

record arrival_a --arrival-order
record arrival_b --arrival-order
expect 1 compare-backward-state --report-path report.json arrival_a arrival_b
json report.json 'len(d["first_divergence"]["origins"]) == 1'
json report.json 'd["first_divergence"]["origins"][0]["kernel"] == "reduce_rows"'
json report.json 'd["first_divergence"]["origins"][0]["claim"] == "proven"'
json report.json 'd["provenance_differences"] == []'

# Disarmed: the same results, and nothing on the disk.
mkdir disarmed && cd disarmed || exit 1
foxhunt-market-example > ../disarmed.out
[ -z "$(ls -A)" ] || fail 'a disarmed run left files'
cmp ../equal_a.out ../disarmed.out || fail 'dumping changed the losses'
