// SPDX-License-Identifier: MIT
#include "kernels/simt/explore.h"

#include <algorithm>
#include <exception>
#include <string_view>
#include <tuple>
#include <utility>

#include "dump/format/error.h"
#include "kernels/simt/launch_observer.h"

namespace foxhunt {
namespace {

using Run = std::function<std::vector<std::byte>()>;

std::uint64_t digest_of(const ExploredOutcome& outcome) {
  const std::string_view bytes(reinterpret_cast<const char*>(outcome.bytes.data()),
                               outcome.bytes.size());
  const std::hash<std::string_view> hash;
  return hash(bytes) ^ (hash(outcome.error) * 3);
}

bool same(const ExploredOutcome& a, const ExploredOutcome& b) {
  return a.bytes == b.bytes && a.error == b.error;
}

// Calls run(); whatever goes wrong is part of the outcome.
ExploredOutcome outcome_of(const Run& run, std::vector<simt::Diagnostic>& diagnostics) {
  ExploredOutcome outcome;
  try {
    outcome.bytes = run();
  } catch (const std::exception& error) {
    outcome.error = error.what();
  }
  diagnostics = simt::take_diagnostics();
  for (const simt::Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.fatal) {  // tells more than the exception that followed from it
      outcome.error = diagnostic.text;
      break;
    }
  }
  if (!outcome.error.empty()) outcome.bytes.clear();
  outcome.digest = digest_of(outcome);
  return outcome;
}

ExploredOutcome replayed(const simt::Trace& trace, const Run& run) {
  ExploredOutcome outcome;
  std::vector<simt::Diagnostic> ignored;
  simt::replay(trace, [&] { outcome = outcome_of(run, ignored); });
  return outcome;
}

std::optional<std::size_t> first_difference(const ExploredOutcome& a, const ExploredOutcome& b) {
  if (!a.error.empty() || !b.error.empty()) return std::nullopt;
  const auto [left, right] =
      std::mismatch(a.bytes.begin(), a.bytes.end(), b.bytes.begin(), b.bytes.end());
  return static_cast<std::size_t>(left - a.bytes.begin());
}

// The kernel that first makes device memory other under the trace than in order.
std::string first_other_kernel(const simt::Schedule& in_order, const simt::Trace& trace,
                               const Run& run) {
  std::vector<simt::LaunchRecord> expected, found;
  std::vector<simt::Diagnostic> ignored;
  {
    const simt::LaunchObserver observer(expected);
    simt::set_schedule(in_order);
    outcome_of(run, ignored);
  }
  {
    const simt::LaunchObserver observer(found);
    replayed(trace, run);
  }
  return simt::first_to_differ(expected, found);
}

bool same_place(const simt::Diagnostic& a, const simt::Diagnostic& b) {
  return a.kind == b.kind && a.kernel == b.kernel && a.file == b.file && a.line == b.line;
}

class Explorer {
 public:
  Explorer(const Run& run, const ExploreOptions& options) : run_(run), options_(options) {
    schedule_options_.only = options.policy;
    schedule_options_.weak = options.weak;
  }

  Exploration explore() {
    const simt::ScheduleScope restore(simt::current_schedule());
    simt::take_diagnostics();
    for (std::uint64_t number = 0; number < options_.schedules; ++number) {
      add(number, run_under(number));
      if (options_.progress) options_.progress(number + 1, options_.schedules);
      if (options_.stop_at_first && result_.divergence) break;
    }
    if (result_.divergence && options_.minimise_budget > 0) trace_divergence();
    if (result_.divergence) {
      Divergence& divergence = *result_.divergence;
      divergence.first_byte = first_difference(result_.outcomes.front(), divergence.outcome);
    }
    return std::move(result_);
  }

  Exploration explore(const simt::Trace& trace) {
    const simt::ScheduleScope restore(simt::current_schedule());
    simt::take_diagnostics();
    add(0, run_under(0));
    ExploredOutcome outcome;
    std::vector<simt::Diagnostic> diagnostics;
    simt::replay(trace, [&] { outcome = outcome_of(run_, diagnostics); });
    outcome.first_schedule = 1;
    note(diagnostics, 1);
    note_races();
    ++result_.schedules;
    add(1, outcome);
    if (result_.divergence) {
      Divergence& divergence = *result_.divergence;
      divergence.schedule = trace.schedule;
      divergence.trace = trace;
      divergence.decisions_recorded = trace.decisions.size();
      divergence.first_byte = first_difference(result_.outcomes.front(), divergence.outcome);
      divergence.kernel = first_other_kernel(schedule(0), trace, run_);
    }
    return std::move(result_);
  }

 private:
  simt::Schedule schedule(std::uint64_t number) const {
    return simt::schedule_for(number, options_.seed, schedule_options_);
  }

  ExploredOutcome run_under(std::uint64_t number) {
    simt::set_schedule(schedule(number));
    std::vector<simt::Diagnostic> diagnostics;
    ExploredOutcome outcome = outcome_of(run_, diagnostics);
    outcome.first_schedule = number;
    if (number == 0) schedule_options_.points = simt::executed_points();
    note(diagnostics, number);
    note_races();
    ++result_.schedules;
    return outcome;
  }

  void note(const std::vector<simt::Diagnostic>& diagnostics, std::uint64_t number) {
    for (const simt::Diagnostic& diagnostic : diagnostics) {
      const bool known = std::any_of(result_.diagnostics.begin(), result_.diagnostics.end(),
                                     [&](const ExploredDiagnostic& other) {
                                       return same_place(other.diagnostic, diagnostic);
                                     });
      if (!known) result_.diagnostics.push_back({diagnostic, number});
    }
  }

  void note_races() {
    const auto places = [](const simt::Race& race) {
      const auto& [a, b] = std::tie(race.first, race.second);
      return std::tuple(a.file, a.line, a.write, b.file, b.line, b.write);
    };
    for (const simt::Race& race : simt::take_races()) {
      const bool known =
          std::any_of(result_.races.begin(), result_.races.end(),
                      [&](const simt::Race& other) { return places(other) == places(race); });
      if (!known) result_.races.push_back(race);
    }
  }

  void add(std::uint64_t number, ExploredOutcome outcome) {
    const bool diverges = number > 0 && !same(outcome, result_.outcomes.front());
    if (diverges && !result_.divergence) {
      Divergence divergence;
      divergence.number = number;
      divergence.schedule = schedule(number);
      divergence.outcome = outcome;
      result_.divergence = std::move(divergence);
    }
    for (ExploredOutcome& known : result_.outcomes) {
      if (known.digest == outcome.digest) {
        ++known.count;
        return;
      }
    }
    outcome.count = 1;
    if (result_.outcomes.size() >= 2) outcome.bytes = {};
    result_.outcomes.push_back(std::move(outcome));
  }

  // Runs the schedule that differed again, to write its decisions down and drop what matters not.
  void trace_divergence() {
    Divergence& divergence = *result_.divergence;
    const ExploredOutcome in_order = result_.outcomes.front();
    ExploredOutcome again;
    std::vector<simt::Diagnostic> ignored;
    simt::Trace trace =
        simt::record(divergence.schedule, [&] { again = outcome_of(run_, ignored); });
    divergence.repeats = same(again, divergence.outcome);
    if (!divergence.repeats) return;
    const auto differs = [&](const simt::Trace& shorter) {
      return !same(replayed(shorter, run_), in_order);
    };
    divergence.decisions_recorded = trace.decisions.size();
    divergence.trace = simt::minimise(trace, differs, options_.minimise_budget);
    divergence.outcome = replayed(*divergence.trace, run_);
    divergence.outcome.first_schedule = divergence.number;
    divergence.outcome.count = 1;
    divergence.kernel = first_other_kernel(schedule(0), *divergence.trace, run_);
  }

  const Run& run_;
  const ExploreOptions options_;
  simt::ScheduleOptions schedule_options_;
  Exploration result_;
};

}  // namespace

Exploration explore(const Run& run, const ExploreOptions& options) {
  if (options.schedules == 0) {
    throw Error(Errc::bad_argument,
                "an exploration of 0 schedules: ask for at least 1, and for 2 "
                "to compare anything");
  }
  return Explorer(run, options).explore();
}

Exploration explore_trace(const Run& run, const simt::Trace& trace) {
  return Explorer(run, {}).explore(trace);
}

}  // namespace foxhunt
