#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The older script compared floats: NaN differed from itself, and -0 equalled +0.
. "$(dirname "$0")/scenario.sh"

make-run a bare <<< '0 h v_pred f32 4 nan 0x7fc00001 0 1'
make-run b bare <<< '0 h v_pred f32 4 nan 0x7fc00001 0 1'
make-run c bare <<< '0 h v_pred f32 4 nan 0x7fc00002 -0 1'
expect 0 compare-backward-state a b
expect 1 compare-backward-state --format json a c
json out 'd["buffers"][0]["differing"] == 2'
json out 'd["buffers"][0]["nan_payload_only"] == 1 and d["buffers"][0]["sign_of_zero_only"] == 1'
