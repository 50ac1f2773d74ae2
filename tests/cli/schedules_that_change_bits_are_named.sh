#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# explore-schedules on the example in kernels/examples: what depends on the schedule is named
# with its kernel, element, schedule and trace, what does not is called invariant, and the trace leads
# back to what was seen.
. "$(dirname "$0")/scenario.sh"
target=$FOXHUNT_BIN/foxhunt-sums-example

expect 0 explore-schedules "$target" --list
says out 'atomic_sum'
says out 'sums.cu:'

expect 0 explore-schedules "$target" --case two_kernels
says out 'INVARIANT: two_kernels, the same bits under 32 schedules'
is_empty err

expect 1 explore-schedules "$target" --case atomic_sum
says out 'SCHEDULE-DEPENDENT: atomic_sum'
says out 'sum_by_atomics'
says out 'sum[0] f32'
says out 'atomic_sum.trace'
is_empty err
[ -s atomic_sum.trace ] || fail 'no trace'

# All of them: a finding is exit 1, whatever else there is. Twice, because a seed is a promise.
expect 1 explore-schedules "$target" --format json --no-trace
mv out first.json
json first.json 'd["exit_code"] == 1 and len(d["cases"]) == 4'
json first.json '[c["verdict"] for c in d["cases"] if c["case"] == "two_kernels"] == ["INVARIANT"]'
json first.json '{c["case"]: c for c in d["cases"]}["missing_barrier"]["divergence"]["kernel"] == "turn_round"'
expect 1 explore-schedules "$target" --format json --no-trace
cmp first.json out || fail 'the same command, another report'

# A trace leads to the same bits each time, here and in the next process.
expect 1 explore-schedules "$target" --case missing_barrier --save-trace tile.trace --format json
json out 'd["cases"][0]["divergence"]["trace_file"] == "tile.trace"'
json out 'd["cases"][0]["divergence"]["decisions"] < d["cases"][0]["divergence"]["decisions_recorded"]'
json out 'd["cases"][0]["divergence"]["first_element"]["output"] == "turned"'
mv out seen.json
for turn in 1 2 3; do
  expect 1 explore-schedules "$target" --replay tile.trace --format json
  json out 'd["cases"][0]["as_recorded"] is True'
  /usr/bin/python3 - seen.json out <<'END' || fail "replay $turn leads elsewhere"
import json, sys
seen, now = (json.load(open(name))["cases"][0]["divergence"] for name in sys.argv[1:])
sys.exit(seen["first_element"] != now["first_element"])
END
done

# One policy alone; another seed draws other schedules.
expect 1 explore-schedules "$target" --case missing_barrier --policy reverse --schedules 2 --no-trace
says out 'reverse'
expect 1 explore-schedules "$target" --case missing_barrier --seed 9 --format json --no-trace
json out 'd["seed"] == 9'

mistake() {
  local text=$1
  shift
  expect 2 explore-schedules "$@"
  says err "$text"
  is_empty out
}
mistake 'target'
mistake 'no program' ./nothing
mistake "no case 'sum'" "$target" --case sum
mistake '--policy' "$target" --policy luck
mistake '--schedules' "$target" --schedules 0
mistake 'compares nothing' "$target" --schedules 1
mistake 'one file for the traces of 4 cases' "$target" --save-trace all.trace
mistake 'no.trace' "$target" --replay no.trace
echo nonsense > bad.trace
mistake 'no schedule trace' "$target" --replay bad.trace
mistake 'of case missing_barrier' "$target" --replay tile.trace --case atomic_sum
mistake '--no-trace' "$target" --no-trace --save-trace x
expect 0 explore-schedules --help
says out 'Exit codes'
expect 0 explore-schedules --version
says out 'explore-schedules 0.'
