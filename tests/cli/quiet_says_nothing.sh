#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --quiet leaves the exit code alone to speak, and still writes the report that was asked for.
. "$(dirname "$0")/scenario.sh"

make-run a full <<< '0 g x f32 1 1'
make-run b full <<< '0 g x f32 1 2'
quietly() {
  expect "$@"
  is_empty out
  is_empty err
}
quietly 1 compare-backward-state --quiet a b
quietly 2 compare-backward-state --quiet a a
quietly 2 compare-backward-state --quiet a missing
quietly 1 compare-backward-state --quiet --format json --report-path report.json a b
json report.json 'd["verdict"] == "diverged"'
