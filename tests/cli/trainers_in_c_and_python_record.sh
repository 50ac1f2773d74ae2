#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The examples in C and in Python record runs through the shared library that verify and compare.
# Arguments: the shared library, the Python example.
. "$(dirname "$0")/scenario.sh"

for run in a b; do
  FOXHUNT_DETERMINISM_DEBUG_BACKWARD=1 FOXHUNT_DETERMINISM_DIR=c_$run expect 0 foxhunt-minimal-c
  says out slope
  FOXHUNT_DETERMINISM_DEBUG_BACKWARD=1 FOXHUNT_DETERMINISM_DIR=python_$run \
    expect 0 /usr/bin/python3 "$2" "$1"
  says out params
done
for trainer in c python; do
  expect 0 inspect-run ${trainer}_a verify
  expect 0 compare-backward-state ${trainer}_a ${trainer}_b
  says out IDENTICAL
done
