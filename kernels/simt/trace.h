// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/simt/schedule.h"

namespace foxhunt::simt {

// What a schedule decided, told as differences from the in-order one.
//
// Each decision has a kind and a number, counted per kind from set_schedule on. Whatever a trace
// does not mention is decided as in order: the running thread goes on; when it stops, the first
// runnable one follows; blocks come in ascending order, one at a time; stores are visible at once.
enum class DecisionKind : std::uint8_t {
  resident,   // value: blocks interleaved in this launch
  block,      // value: which of the launch's remaining blocks comes next
  next,       // the running thread stopped; value: which resident thread runs
  preempt,    // at a point; value: which resident thread runs instead, + 1
  pend,       // a plain store; value 1: it stays pending
  drain,      // value: which pending store becomes visible now, + 1
  stale,      // a plain load; value: for how many points more the old value is seen
  converged,  // __activemask; value: which lanes count as converged
  garbage,    // value: the seed of the garbage in this memory
  start,      // value: whether and which queued work runs now
  order,      // value: order of the last stores at a launch's end
};

struct Decision {
  DecisionKind kind;
  std::uint64_t number;
  std::uint64_t value;
  bool operator==(const Decision&) const = default;
};

struct Trace {
  Schedule schedule;                // the one that was recorded, for people
  std::vector<Decision> decisions;  // by kind, then number

  // One line each; what parse() reads. Throws Error (format) for anything else.
  std::string text() const;
  static Trace parse(std::string_view text);
};

// Runs `run` under `schedule` and records what it decided.
Trace record(const Schedule& schedule, const std::function<void()>& run);

// Runs `run` under the recorded decisions: in the same program and build, with the same bits.
// Decisions that do not fit (a thread that cannot run there) are decided as in order.
void replay(const Trace& trace, const std::function<void()>& run);

// The fewest decisions, by delta debugging, under which `still_shows` (which calls replay) holds.
// At most `budget` calls of it.
Trace minimise(const Trace& trace, const std::function<bool(const Trace&)>& still_shows,
               unsigned budget = 2000);

}  // namespace foxhunt::simt
