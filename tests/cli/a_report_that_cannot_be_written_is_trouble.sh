#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A closed, full or abandoned standard output: exit 2 and a message, whatever the verdict.
. "$(dirname "$0")/scenario.sh"

make-run a full <<< '0 g x f32 1 1'
make-run b full <<< '0 g x f32 1 1'
expect 2 bash -c 'compare-backward-state a b >&-'
says err 'standard output'
expect 2 bash -c 'compare-backward-state a b > /dev/full'
says err 'No space left'
expect 125 bash -c 'compare-backward-state --git-bisect --format json a b > /dev/full'
expect 2 bash -c 'inspect-run a list > /dev/full'
expect 2 bash -c 'compare-backward-state --help > /dev/full'
# A reader that went away before the first byte.
expect 2 bash -c 'set -o pipefail; { sleep 0.5; compare-backward-state a b; } | true'
says err 'standard output'
# The report file is written all the same.
expect 2 bash -c 'compare-backward-state --report-path r.json a b > /dev/full'
json r.json 'd["verdict"] == "identical"'
