#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# explore-schedules --race: both source lines of a data race, and nothing where there is none.
. "$(dirname "$0")/scenario.sh"
target=$FOXHUNT_BIN/foxhunt-sums-example

expect 1 explore-schedules "$target" --race --case missing_barrier --format json --no-trace
json out 'd["build"] == "race" and d["cases"][0]["verdict"] == "RACE"'
json out '{s["access"] for r in d["cases"][0]["races"] for s in (r["first"], r["second"])} == {"read", "write"}'
# The store into the tile and the load from it, wherever they stand now.
store=$(grep -n 'tile\[t\] = in' "$1" | cut -d: -f1)
load=$(grep -n 'tile\[kThreads - 1 - t\]' "$1" | cut -d: -f1)
json out "{s['line'] for r in d['cases'][0]['races'] for s in (r['first'], r['second'])} == {$store, $load}"
json out 'all(s["file"].endswith("sums.cu") for r in d["cases"][0]["races"] for s in (r["first"], r["second"]))'

expect 1 explore-schedules "$target" --race --case missing_barrier --no-trace
says out 'RACE: missing_barrier'
says out "sums.cu:$store"
says out "sums.cu:$load"

expect 1 explore-schedules "$target" --race --case last_block_without_fence --no-trace
says out 'RACE: last_block_without_fence'

# The order of float atomics is no race.
for quiet in two_kernels atomic_sum; do
  expect 0 explore-schedules "$target" --race --case $quiet
  says out "RACE-FREE: $quiet"
done
