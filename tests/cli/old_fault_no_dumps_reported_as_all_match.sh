#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The older script said "all match" when there was nothing to compare.
. "$(dirname "$0")/scenario.sh"

mkdir a b
expect 2 compare-backward-state a b
says out 'nothing was compared'
says_not out 'IDENTICAL'
expect 2 compare-backward-state nowhere nothing
says_not out 'IDENTICAL'
make-run c full < /dev/null
make-run d full < /dev/null
expect 2 compare-backward-state c d
says_not out 'IDENTICAL'
