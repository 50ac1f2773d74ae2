#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --report-path: JSON whatever the format, in place by a rename, never within a run.
. "$(dirname "$0")/scenario.sh"

make-run a full <<< '0 g x f32 1 1'
make-run b full <<< '0 g x f32 1 2'
expect 1 compare-backward-state --report-path report.json a b
says out 'DIVERGED'
json report.json 'd["verdict"] == "diverged"'
echo old > report.json
expect 1 compare-backward-state --report-path report.json a b
json report.json 'd["verdict"] == "diverged"'

for place in a/report.json ./b/../a/x.json /dev/null a no/such/folder/x.json; do
  expect 2 compare-backward-state --report-path $place a b
  says err "$place"
  is_empty out
done
expect 129 compare-backward-state --git-bisect --report-path a/report.json a b

# A disk that is full when the report is written: the old report stays, the exit code says trouble.
echo old > report.json
got=0
(
  trap '' XFSZ
  ulimit -f 0
  compare-backward-state --quiet --report-path report.json a b
) 2> /dev/null || got=$?
[ $got -eq 2 ] || fail "exit code $got with a full disk"
[ "$(cat report.json)" = old ] || fail 'the old report is gone'
[ "$(find . -name '.report.json*' | wc -l)" -eq 0 ] || fail 'a half file is left'
