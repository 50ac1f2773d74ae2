// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "kernels/simt/executor.h"
#include "kernels/simt/trace.h"

namespace foxhunt::simt {

// Everything that is not fixed by CUDA passes through here, so that it can be recorded and
// replayed.
enum class Tracing : std::uint8_t { off, recording, replaying };
extern FOXHUNT_SIMT_HIDDEN Tracing tracing;

std::uint64_t traced_decision(DecisionKind kind, std::uint64_t drawn);

// What is decided: `drawn`, which the policy chose, or what the replayed trace says instead. 0 is
// the in-order decision.
inline std::uint64_t decide(DecisionKind kind, std::uint64_t drawn) {
  return __builtin_expect(tracing == Tracing::off, 1) ? drawn : traced_decision(kind, drawn);
}

// Preemptions are numbered by the points passed since set_schedule.
//
// Records that at point `point` the thread `value` - 1 goes on.
void record_preemption(std::uint64_t point, std::uint64_t value);
// The first point >= `from` with a decision; the greatest number if there is none.
std::uint64_t next_traced_preemption(std::uint64_t from);
// What is decided at that point; 0 if nothing.
std::uint64_t traced_preemption(std::uint64_t point);

}  // namespace foxhunt::simt
