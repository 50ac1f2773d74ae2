#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The reference trainer on this machine's GPU: two runs with deterministic kernels must end in the
# same bits; then each kernel's defect is switched on alone, and what a comparison of two runs names
# is printed as a row of a table. A defect that does not show in two runs is no failure; a wrong name
# is one.
#
#   trainer_on_device.sh BIN        the programs' folder
#
# Exit 0 as expected, 1 not, 77 no CUDA device (1 with FOXHUNT_REQUIRE_GPU=1).
set -u
bin=$1 work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset "${!FOXHUNT_DETERMINISM_@}" FOXHUNT_KERNEL_VARIANT

record() {
  local directory=$work/$1
  shift
  rm -rf "$directory"
  FOXHUNT_DETERMINISM_DEBUG_BACKWARD=1 FOXHUNT_DETERMINISM_DIR=$directory \
    "$bin/foxhunt-train-cuda" --steps 8 --quiet "$@" > "$work/out" 2>&1
}
if ! record probe; then
  if [ "${FOXHUNT_REQUIRE_GPU-}" != 1 ] && grep -qiE 'no CUDA-capable device|driver version is insufficient' "$work/out"; then
    echo 'no CUDA device: the trainer has not run on one'
    exit 77
  fi
  cat "$work/out"
  exit 1
fi

failures=0
record a && record b || failures=$((failures + 1))
if ! "$bin/compare-backward-state" "$work/a" "$work/b" > "$work/report"; then
  cat "$work/report"
  failures=$((failures + 1))
fi
echo "trainer: deterministic kernels: $(head -n 1 "$work/report")"

while IFS= read -r variant; do
  record a --variant "$variant" && record b --variant "$variant" || {
    cat "$work/out"
    failures=$((failures + 1))
    continue
  }
  "$bin/compare-backward-state" --report-path "$work/report.json" "$work/a" "$work/b" > "$work/report"
  line=$(head -n 1 "$work/report")
  echo "trainer: $variant: $line"
  case $line in
    IDENTICAL*) ;;
    *" by ${variant%%=*}"*) ;;
    *) failures=$((failures + 1)) ;;
  esac
done < <("$bin/foxhunt-train-cuda" --variant help | sed -n 's/^\([a-z_0-9]*=[a-z_0-9]*\)$/\1/p')
[ $failures = 0 ]
