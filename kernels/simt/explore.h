// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernels/simt/diagnostics.h"
#include "kernels/simt/races.h"
#include "kernels/simt/schedule.h"
#include "kernels/simt/trace.h"

namespace foxhunt {

struct ExploreOptions {
  std::uint64_t schedules = 32;  // in all: number 0 is in order, 1 in reverse, … (schedule.h)
  std::uint64_t seed = 0;        // explorations of other seeds are independent but for 0 and 1
  std::optional<simt::Policy> policy;  // instead of the cycle of policies
  bool weak = true;
  bool stop_at_first = false;  // at the first schedule that differs
  // Replays that may be spent on making that schedule's trace small; 0 keeps no trace.
  unsigned minimise_budget = 400;
  // Called after each schedule.
  std::function<void(std::uint64_t done, std::uint64_t all)> progress;
};

// What some of the schedules led to.
struct ExploredOutcome {
  std::uint64_t first_schedule = 0;
  std::uint64_t count = 0;
  // Empty bytes and a text if it ended in an exception or a kernel was given up. Bytes are kept of
  // the first two outcomes only.
  std::vector<std::byte> bytes;
  std::string error;
  std::uint64_t digest = 0;  // of both; equal outcomes have equal digests
};

// The first schedule whose outcome is not that of the in-order one.
struct Divergence {
  std::uint64_t number = 0;
  simt::Schedule schedule;
  // A trace that leads away from the in-order outcome, with as few decisions as the budget allowed;
  // none where none was asked for or the schedule, run again, did not differ (`repeats` is false:
  // the program depends on something that no schedule chooses, such as the time).
  std::optional<simt::Trace> trace;
  std::size_t decisions_recorded = 0;  // before it was made small
  bool repeats = true;
  // What replaying `trace` leads to; without a trace, what the schedule led to.
  ExploredOutcome outcome;
  // The first byte at which that is not the in-order outcome; the shorter one's length if one is
  // the other's beginning; none if either is an error.
  std::optional<std::size_t> first_byte;
  // The first kernel that left other device memory than in order where it had found the same; if
  // several ran side by side, all of them; empty if unknown.
  std::string kernel;
};

struct ExploredDiagnostic {
  simt::Diagnostic diagnostic;
  std::uint64_t first_schedule = 0;
};

struct Exploration {
  std::uint64_t schedules = 0;            // that ran
  std::vector<ExploredOutcome> outcomes;  // distinct ones, as they were found; [0] is in order
  std::optional<Divergence> divergence;
  std::vector<ExploredDiagnostic> diagnostics;  // each mistake once
  std::vector<simt::Race> races;                // race build only; each pair of places once

  // The same bits under all schedules that ran, and no error in any.
  bool schedule_invariant() const { return outcomes.size() == 1 && outcomes.front().error.empty(); }
};

// Runs `run` under `options.schedules` schedules and compares what it returns, byte by byte.
//
// `run` launches kernels and returns what its caller would read: outputs, or whatever else should
// not depend on the order. It must do the same each time, allocations included. An exception out of
// it, or a kernel that was given up, is an outcome like any other. Any build of kernels will do;
// what the plain one cannot show (a switch between two accesses, stores seen late) it does not
// find.
//
// Throws Error: bad_argument if options.schedules is 0.
Exploration explore(const std::function<std::vector<std::byte>()>& run,
                    const ExploreOptions& options = {});

// The same of two runs: one in order, one as the trace says, which becomes `divergence` if its
// outcome is another one. Traces of another program or build lead somewhere else, or nowhere.
Exploration explore_trace(const std::function<std::vector<std::byte>()>& run,
                          const simt::Trace& trace);

}  // namespace foxhunt
