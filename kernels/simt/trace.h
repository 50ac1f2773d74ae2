// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
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
  resident,   // blocks of a launch that are interleaved, - 1
  block,      // which of the launch's remaining blocks becomes resident, counted from the first
  next,       // the running thread stopped: which resident thread runs, + 1
  preempt,    // numbered by the points passed: which resident thread goes on, + 1
  pend,       // 1: this plain store stays pending
  drain,      // which pending store becomes visible now, + 1
  stale,      // for how many points others may still read the value from before this store
  converged,  // 1: the lanes inside __activemask so far are the converged ones
  garbage,    // the seed of what this piece of memory holds
  start,      // which heads of streams run now
  order,      // which pending store is the next to become visible at the launch's end
};
constexpr std::size_t kDecisionKinds = 11;

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
