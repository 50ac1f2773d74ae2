#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The CUDA example, on the executor: two runs under different schedules end in the same bits, unless
# its update adds as threads come; then that kernel is named, and proven. README shows the file.
#
#   the_cuda_example_names_its_update.sh README.md minimal_cuda.cu
. "$(dirname "$0")/scenario.sh"

# record DIRECTORY SEED [ARGUMENT]
record() {
  FOXHUNT_SCHEDULE_SEED=$2 FOXHUNT_DETERMINISM_DEBUG_BACKWARD=1 FOXHUNT_DETERMINISM_DIR=$1 \
    foxhunt-minimal-cuda-simt ${3-} > "$1.out" 2> "$1.err" || fail "$1: exit $?"
}

record equal_a 1
record equal_b 2
cmp equal_a.out equal_b.out || fail 'the weights differ'
expect 0 compare-backward-state equal_a equal_b
says out 'IDENTICAL: 13 buffers in 4 steps'
says_not out 'not dumped'
expect 0 inspect-run equal_a verify

record as_they_come_a 1 defect
record as_they_come_b 2 defect
expect 1 compare-backward-state --report-path report.json as_they_come_a as_they_come_b
json report.json 'len(d["first_divergence"]["origins"]) == 1'
json report.json 'd["first_divergence"]["origins"][0]["kernel"] == "update"'
json report.json 'd["first_divergence"]["origins"][0]["claim"] == "proven"'

# A schedule that nobody chose, disarmed: the same results, and nothing on the disk.
mkdir disarmed && cd disarmed || exit 1
foxhunt-minimal-cuda-simt > ../disarmed.out
[ -z "$(ls -A)" ] || fail 'a disarmed run left files'
cmp ../equal_a.out ../disarmed.out || fail 'dumping changed the weights'

# The README's block under "In your trainer" is the file, without its licence line.
diff <(sed -n '/^## In your trainer$/,/^## /p' "$1" | sed -n '/^```cuda$/,/^```$/p' | sed '1d;$d') \
  <(tail -n +2 "$2") || fail 'README shows another CUDA trainer'
