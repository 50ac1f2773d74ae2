#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The older script had no answer for labels that differ alone.
. "$(dirname "$0")/scenario.sh"

make-run a bare <<'END'
0 g sampled_h_t f32 2 1
0 k outcome_labels i32 2 1
END
make-run b bare <<'END'
0 g sampled_h_t f32 2 1
0 k outcome_labels i32 2 1 2
END
expect 1 compare-backward-state a b
says out 'outcome_labels (k)'
says out 'outcome_label_upload'
expect 1 compare-backward-state --format json a b
json out 'd["first_divergence"]["groups"] == ["k"]'
json out 'd["first_divergence"]["origins"][0]["kernel"] == "outcome_label_upload"'
