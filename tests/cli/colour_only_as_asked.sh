#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Colour on a terminal alone, unless asked for otherwise.
. "$(dirname "$0")/scenario.sh"

make-run a full <<< '0 g x f32 1 1'
make-run b full <<< '0 g x f32 1 2'
escape=$'\x1b'
expect 1 compare-backward-state a b
says_not out "$escape"
expect 1 compare-backward-state --color always a b
says out "$escape"
# On a terminal.
terminal() {
  /usr/bin/python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' "$@" < /dev/null > out
}
TERM=xterm terminal compare-backward-state a b
says out "$escape"
TERM=xterm NO_COLOR=1 terminal compare-backward-state a b
says_not out "$escape"
TERM=xterm terminal compare-backward-state --color never a b
says_not out "$escape"
