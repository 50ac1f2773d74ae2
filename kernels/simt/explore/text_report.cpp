// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "kernels/simt/explore/case_report.h"

namespace foxhunt {
namespace {

using Text = fmt::memory_buffer;

template <class... Args>
void add(Text& text, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
}

void add_line(Text& text, const char* label, const std::string& what) {
  add(text, "  {:<12}{}\n", label, what);
}

std::string plural(std::uint64_t count, const char* one, const char* more) {
  return fmt::format("{} {}", count, count == 1 ? one : more);
}

std::string place(const std::string& file, int line) {
  if (file.empty()) return "unknown place";
  return line == 0 ? file : fmt::format("{}:{}", file, line);
}

std::string headline(const CaseReport& report) {
  const Exploration& exploration = report.exploration;
  const std::uint64_t all = exploration.schedules;
  switch (verdict(report)) {
    case CaseVerdict::invariant:
      if (report.as_recorded) return "the trace leads to the in-order outcome";
      return fmt::format("the same bits under {}", plural(all, "schedule", "schedules"));
    case CaseVerdict::schedule_dependent:
      if (report.as_recorded) return "the trace leads away from the in-order outcome";
      return fmt::format("{} under {}",
                         plural(exploration.outcomes.size(), "outcome", "distinct outcomes"),
                         plural(all, "schedule", "schedules"));
    case CaseVerdict::race:
      return plural(exploration.races.size(), "pair of accesses that nothing orders",
                    "pairs of accesses that nothing orders");
    case CaseVerdict::race_free:
      return "no accesses that nothing orders, under the in-order schedule";
    case CaseVerdict::failed:
      return "a mistake that no schedule avoids";
  }
  return "";
}

void add_difference(Text& text, const OutputDifference& difference) {
  const auto side = [](const std::string& value, const std::string& bits) {
    return value.empty() ? std::string("nothing") : fmt::format("{} ({})", value, bits);
  };
  add_line(text, "element",
           fmt::format("{}[{}] {}", difference.output, difference.index, difference.type));
  add_line(text, "  in order", side(difference.in_order, difference.in_order_bits));
  add_line(text, "  here", side(difference.other, difference.other_bits));
  if (difference.elements != difference.other_elements) {
    add_line(text, "lengths",
             fmt::format("{} elements in order, {} here", difference.elements,
                         difference.other_elements));
  } else if (difference.elements > 1) {
    add_line(text, "differ",
             fmt::format("{} of {} elements", difference.differ, difference.elements));
  }
}

void add_divergence(Text& text, const TargetReport& target, const CaseReport& report) {
  const Divergence& divergence = *report.exploration.divergence;
  if (!divergence.kernel.empty()) add_line(text, "kernel", divergence.kernel);
  if (!report.as_recorded) {
    add_line(text, "schedule",
             fmt::format("{}: {}", divergence.number, simt::describe(divergence.schedule)));
  }
  if (report.difference) add_difference(text, *report.difference);
  const std::string& in_order = report.exploration.outcomes.front().error;
  if (!in_order.empty()) add_line(text, "in order", in_order);
  if (!divergence.outcome.error.empty()) add_line(text, "here", divergence.outcome.error);
  if (!divergence.repeats) {
    add_line(text, "note",
             "the same schedule, run again, led elsewhere: something that no "
             "schedule chooses decides, such as the time or an address");
  }
  if (report.as_recorded) {
    add_line(text, "recorded",
             *report.as_recorded ? "the outcome is the one that was recorded"
                                 : "another outcome than was recorded: the program has changed");
  } else if (divergence.trace) {
    add_line(text, "trace",
             fmt::format("{}{} of {} that were recorded",
                         report.trace_file.empty() ? "" : report.trace_file + ": ",
                         plural(divergence.trace->decisions.size(), "decision", "decisions"),
                         divergence.decisions_recorded));
    if (!report.trace_file.empty()) {
      add_line(text, "again",
               fmt::format("explore-schedules {} --case {} --replay {}", target.target, report.name,
                           report.trace_file));
    }
  }
}

void add_race(Text& text, const simt::Race& race) {
  const auto side = [](const simt::Race::Access& access) {
    if (access.line == 0) {
      return fmt::format("{}{} of {}, too long ago to say from where",
                         access.atomic ? "atomic " : "", access.write ? "write" : "read",
                         plural(access.bytes, "byte", "bytes"));
    }
    return fmt::format("{}{} of {} at {} in {}", access.atomic ? "atomic " : "",
                       access.write ? "write" : "read", plural(access.bytes, "byte", "bytes"),
                       place(access.file, access.line),
                       access.function.empty() ? "?" : access.function);
  };
  add_line(text, "race", side(race.first));
  add_line(text, "  with", side(race.second));
}

void add_case(Text& text, const TargetReport& target, const CaseReport& report) {
  add(text, "{}: {}, {}\n", name(verdict(report)), report.name, headline(report));
  if (report.exploration.divergence) {
    add_divergence(text, target, report);
  } else if (!report.exploration.outcomes.front().error.empty()) {
    add_line(text, "error", report.exploration.outcomes.front().error);
  }
  for (const ExploredDiagnostic& one : report.exploration.diagnostics) {
    const simt::Diagnostic& mistake = one.diagnostic;
    add_line(text, "mistake",
             fmt::format("{}{}{} (schedule {})", mistake.kernel, mistake.kernel.empty() ? "" : ": ",
                         mistake.text, one.first_schedule));
  }
  for (const simt::Race& race : report.exploration.races) add_race(text, race);
}

}  // namespace

std::string text_of(const TargetReport& report) {
  Text text;
  for (const CaseReport& one : report.cases) add_case(text, report, one);
  if (report.cases.size() > 1) {
    const auto count = [&](CaseVerdict wanted) {
      return std::count_if(report.cases.begin(), report.cases.end(),
                           [&](const CaseReport& one) { return verdict(one) == wanted; });
    };
    add(text, "\n{} cases: {} invariant, {} schedule-dependent, {} with races, {} failed\n",
        report.cases.size(), count(CaseVerdict::invariant) + count(CaseVerdict::race_free),
        count(CaseVerdict::schedule_dependent), count(CaseVerdict::race),
        count(CaseVerdict::failed));
  }
  return fmt::to_string(text);
}

}  // namespace foxhunt
