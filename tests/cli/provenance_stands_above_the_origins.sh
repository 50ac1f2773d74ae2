#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What differs between the circumstances of two runs comes before anything that may be blamed.
. "$(dirname "$0")/scenario.sh"

make-run a full driver=550.54 env.CUBLAS_WORKSPACE_CONFIG=:4096:8 <<< '0 g x f32 1 1'
make-run b full driver=550.90 <<< '0 g x f32 1 2'
expect 1 compare-backward-state a b
says out '550.54'
says out '(not set)'
provenance=$(grep -n '550.54' out | head -n 1 | cut -d: -f1)
origins=$(grep -n 'Where it begins' out | cut -d: -f1)
[ "$provenance" -lt "$origins" ] || fail 'provenance comes after the origins'
expect 1 compare-backward-state --format json a b
json out '{"key": "driver", "a": "550.54", "b": "550.90"} in d["provenance_differences"]'
