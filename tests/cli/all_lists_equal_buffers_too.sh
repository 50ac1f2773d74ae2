#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --all: equal buffers in the JSON as well.
. "$(dirname "$0")/scenario.sh"

lines() {
  for i in $(seq 1 300); do echo "$((i % 3)) g x$i f32 2 $i"; done
  echo "3 h y f32 1 $1"
}
lines 0 | make-run a full
lines 0 | make-run b full
lines 1 | make-run c full
expect 0 compare-backward-state --format json a b
json out 'd["buffers"] == []'
expect 0 compare-backward-state --format json --all a b
json out 'len(d["buffers"]) == 301 and all(b["status"] == "equal" for b in d["buffers"])'
json out 'all(b["differing"] == 0 for b in d["buffers"])'
expect 1 compare-backward-state --format json --all a c
json out '[b["name"] for b in d["buffers"] if b["status"] != "equal"] == ["y"]'
