#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# inspect-run verify: 0 as written, 1 changed since, 2 cannot tell.
. "$(dirname "$0")/scenario.sh"

new() {
  rm -rf a
  make-run a "$@" <<'END'
0 g x f32 8 1
1 h y f64 4 0x4000000000000000
END
}
new full
expect 0 inspect-run a verify
says out 'VERIFIED: a: 2 records in 2 steps'

printf X | dd of=a/step_0_g_x.bin bs=1 seek=5 conv=notrunc 2> /dev/null
expect 1 inspect-run a verify
says out 'MISMATCH'
says out 'step_0_g_x.bin'
expect 0 inspect-run a verify --steps 1

new full
rm a/step_1_h_y.bin
expect 1 inspect-run a verify
new full
truncate -s 8 a/step_1_h_y.bin
expect 1 inspect-run a verify
new full
sed -i '$d' a/foxhunt-steps.log
expect 1 inspect-run a verify
new full
printf X | dd of=a/foxhunt-chunks.bin bs=1 conv=notrunc 2> /dev/null
expect 1 inspect-run a verify
new digest
expect 0 inspect-run a verify

new full open
expect 2 inspect-run a verify
says out 'CANNOT TELL'
new bare
expect 2 inspect-run a verify
says out 'bare run'
expect 2 inspect-run missing verify
