#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# One strict document on standard output, for each way a comparison may end.
. "$(dirname "$0")/scenario.sh"

make-run a full <<< '0 g x f32 3 nan inf -0'
make-run b full <<< '0 g x f32 3 nan inf -0'
make-run c bare <<< '0 g x f32 3 0x7fc00001 -inf 0'
make-run d full <<< '0 g x f64 3 1'
mkdir empty
echo broken > a-file
check() {
  local want=$1 verdict=$2
  shift 2
  expect "$want" compare-backward-state --format json "$@"
  json out "(d['format'], d['verdict'], d['exit_code']) == ('foxhunt-verdict/1', '$verdict', $want)"
  json out 'all(k in d for k in ("provenance_differences", "first_divergence", "healed", "problems"))'
  json out 'isinstance(d["buffers"], list)'
  is_empty err
}
check 0 identical a b
check 1 diverged a c
check 2 unverified a d
check 2 unverified a a
check 2 unverified a missing
check 2 unverified a empty
check 2 unverified a a-file
check 2 unverified --steps 99 a b
check 1 diverged a b c
check 2 unverified $'not\xffutf8\n"' a
