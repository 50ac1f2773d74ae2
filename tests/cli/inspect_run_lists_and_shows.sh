#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# inspect-run list and show, on a run with a manifest and on a bare one.
. "$(dirname "$0")/scenario.sh"

make-run a full <<'END'
0 g sampled_h_t f32 2x3 1 2 3 0.1 -0 0x7fc00001
0.1 g sampled_h_t f32 2x3 9
2 h actions i32 2 -1 7
END
expect 0 inspect-run a list
says out 'complete, full dump'
says out 'sampled_h_t'
says out '2x3'
says out '2 steps, 3 buffers, 56 B'
cp out first
expect 0 inspect-run a
cmp -s out first || fail 'list is not what inspect-run does by default'
expect 0 inspect-run list a
cmp -s out first || fail 'the command may not come first'
expect 0 inspect-run a list --steps 2 --groups h
says out '1 step, 1 buffer'
says_not out 'sampled_h_t'

expect 0 inspect-run a show 0 sampled_h_t
says out 'sampled_h_t (g), step 0, occurrence 0: f32 2x3'
says out '[0,0] 1 2 3'
says out '[1,0] 0.1 -0'
expect 0 inspect-run a show 0 sampled_h_t --occurrence 1 --limit 2
says out '[0,0] 9 9'
says out 'and 4 more'
expect 0 inspect-run show a 2 actions
says out '[0] -1 7'

expect 2 inspect-run a show 0 nothing
says err 'that step has sampled_h_t'
expect 2 inspect-run a show 1 actions
says err 'step 2'
expect 2 inspect-run a show x actions
expect 2 inspect-run a show 0
expect 2 inspect-run a frobnicate
expect 2 inspect-run missing
expect 2 inspect-run

make-run bare bare <<< '0 z unheard_of f32 2 1 2'
expect 0 inspect-run bare show 0 unheard_of
says out 'No profile knows this buffer'
expect 0 inspect-run bare show 0 unheard_of --dtype f32
says out '[0] 1 2'
