// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "compare/runs/comparison.h"

namespace foxhunt::test {

// Hand-made results, so that the reports are tested apart from the comparison.

// q_logits (h), f32 2x3, of step 2: elements 1 and 4 differ.
BufferResult diverged_buffer();
BufferResult equal_buffer(const std::string& name = "sampled_h_t", std::uint64_t step = 0);

// One origin, proven: q_logits by dqn_head_fwd at step 2.
FirstDivergence proven_divergence();

// 4 steps of groups g and h, h diverged at step 2 alone.
Comparison diverged_comparison();
// 4 steps, 8 buffers equal.
Comparison identical_comparison();
// 2 steps equal, run b open.
Comparison unverified_comparison();

}  // namespace foxhunt::test
