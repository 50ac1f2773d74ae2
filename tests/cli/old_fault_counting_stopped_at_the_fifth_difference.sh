#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The older script counted, and looked for the largest difference, among the first five only.
. "$(dirname "$0")/scenario.sh"

make-run a bare <<< '0 h v_pred f32 1000 0'
make-run b bare <<< "0 h v_pred f32 1000 $(seq -s ' ' 1 1000)"
expect 1 compare-backward-state --format json a b
json out 'd["buffers"][0]["differing"] == 1000 and d["buffers"][0]["max_abs"] == 1000'
json out 'd["buffers"][0]["last_index"] == 999'
