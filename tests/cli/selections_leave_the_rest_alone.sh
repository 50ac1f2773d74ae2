#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --steps, --groups, --include, --exclude and --first.
. "$(dirname "$0")/scenario.sh"

make-run a full <<'END'
0 g x f32 1 1
1 g x f32 1 1
1 h y f32 1 1
2 h y f32 1 1
END
make-run b full <<'END'
0 g x f32 1 1
1 g x f32 1 2
1 h y f32 1 1
2 h y f32 1 2
END
expect 0 compare-backward-state --steps 0 a b
expect 1 compare-backward-state --steps 1- a b
expect 0 compare-backward-state --steps 0-1 --groups h a b
expect 0 compare-backward-state --steps 0,1 --exclude '^x' a b
expect 1 compare-backward-state --include x a b
says out 'Only what --include x selects was compared'
expect 0 compare-backward-state --format json --steps 0 --groups g a b
json out 'd["selection"] == "--steps 0 --groups g"'
expect 1 compare-backward-state --format json a b
json out 'd["selection"] is None'
expect 1 compare-backward-state --first --format json a b
json out 'd["stopped_early"] and {b["step"] for b in d["buffers"]} == {1}'
expect 2 compare-backward-state --include nothing_like_it a b
says out 'nothing was compared'
