// SPDX-License-Identifier: MIT
#include "kernels/simt/decisions.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "kernels/simt/streams.h"

namespace foxhunt::simt {

Tracing tracing = Tracing::off;

namespace {

struct Numbered {
  std::uint64_t number;
  std::uint64_t value;
};

struct Kind {
  std::uint64_t asked = 0;      // decisions of this kind so far
  std::vector<Numbered> known;  // recorded, or to be replayed; by number
  std::size_t next = 0;         // of those to be replayed
};

std::array<Kind, kDecisionKinds> kinds;

Kind& of(DecisionKind kind) { return kinds[static_cast<std::size_t>(kind)]; }

// Ends tracing also when `run` throws.
struct TracingScope {
  explicit TracingScope(Tracing mode) { tracing = mode; }
  ~TracingScope() { tracing = Tracing::off; }
};

}  // namespace

std::uint64_t traced_decision(DecisionKind which, std::uint64_t drawn) {
  Kind& kind = of(which);
  const std::uint64_t number = kind.asked++;
  if (tracing == Tracing::recording) {
    if (drawn != 0) kind.known.push_back({number, drawn});
    return drawn;
  }
  while (kind.next < kind.known.size() && kind.known[kind.next].number < number) ++kind.next;
  const bool told = kind.next < kind.known.size() && kind.known[kind.next].number == number;
  return told ? kind.known[kind.next++].value : 0;
}

void record_preemption(std::uint64_t point, std::uint64_t value) {
  of(DecisionKind::preempt).known.push_back({point, value});
}

std::uint64_t next_traced_preemption(std::uint64_t from) {
  Kind& kind = of(DecisionKind::preempt);
  while (kind.next < kind.known.size() && kind.known[kind.next].number < from) ++kind.next;
  return kind.next < kind.known.size() ? kind.known[kind.next].number
                                       : std::numeric_limits<std::uint64_t>::max();
}

std::uint64_t traced_preemption(std::uint64_t point) {
  if (next_traced_preemption(point) != point) return 0;
  return of(DecisionKind::preempt).known[of(DecisionKind::preempt).next].value;
}

Trace record(const Schedule& schedule, const std::function<void()>& run) {
  const ScheduleScope scope(schedule);
  kinds = {};
  {
    const TracingScope on(Tracing::recording);
    run();
    run_all_streams();
  }
  Trace trace;
  trace.schedule = schedule;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    for (const Numbered& n : kinds[k].known) {
      trace.decisions.push_back({static_cast<DecisionKind>(k), n.number, n.value});
    }
  }
  return trace;
}

void replay(const Trace& trace, const std::function<void()>& run) {
  Schedule schedule;  // in order
  schedule.weak = trace.schedule.weak;
  schedule.exited_threads_pass_barriers = trace.schedule.exited_threads_pass_barriers;
  schedule.watchdog_ms = trace.schedule.watchdog_ms;
  const ScheduleScope scope(schedule);
  kinds = {};
  for (const Decision& d : trace.decisions) of(d.kind).known.push_back({d.number, d.value});
  const TracingScope on(Tracing::replaying);
  run();
  run_all_streams();
}

}  // namespace foxhunt::simt
