#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every mistake on the command line exits 2 with a message that names it; no code of the parser leaks.
. "$(dirname "$0")/scenario.sh"

make-run a full <<< '0 g x f32 1 1'
make-run b full <<< '0 g x f32 1 1'
mistake() {
  local text=$1
  shift
  expect 2 compare-backward-state "$@"
  says err "$text"
  is_empty out
}
mistake 'run'
mistake 'two runs' a
mistake '--no-such' --no-such a b
mistake '--format' --format xml a b
mistake '--color' --color sometimes a b
mistake '3-1' --steps 3-1 a b
mistake 'x*(' --include 'x*(' a b
mistake 'G' --groups G a b
mistake '--rtol' --rtol -1 a b
mistake '--rtol' --rtol nought a b
mistake 'REGEX=RTOL,ATOL' --tolerance 'x=1' a b
mistake 'REGEX=RTOL,ATOL' --tolerance 'x=nan,0' a b
mistake 'needs a tolerance' --accept-tolerance a b
mistake 'exclude each other' --accept-tolerance --rtol 1 --first a b
mistake 'no.json' --profile no.json a b
mistake '--jobs' --jobs -1 a b
for program in compare-backward-state inspect-run; do
  expect 0 $program --help
  says out 'Exit codes'
  expect 0 $program --version
  says out "$program 0."
done
