// SPDX-License-Identifier: MIT
#include "kernels/simt/trace.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "dump/format/error.h"

namespace foxhunt::simt {
namespace {

constexpr std::string_view kFirstLine = "foxhunt decision trace 1";  // on disk: never reuse

constexpr std::array<std::string_view, kDecisionKinds> kNames{
    "resident", "block",     "next",    "preempt", "pend", "drain",
    "stale",    "converged", "garbage", "start",   "order"};

// Takes the next line off `text`.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

std::string_view take_word(std::string_view& line) {
  const std::size_t end = line.find(' ');
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  return word;
}

std::optional<std::uint64_t> number(std::string_view word) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

[[noreturn]] void refuse(std::size_t line, std::string_view what) {
  throw Error(Errc::format, "line {} of a decision trace: {}", line, what);
}

}  // namespace

std::string Trace::text() const {
  std::string result(kFirstLine);
  result += fmt::format("\nschedule {} {} {} {} {}\n", name(schedule.policy), schedule.seed,
                        schedule.weak ? 1 : 0, schedule.exited_threads_pass_barriers ? 1 : 0,
                        schedule.watchdog_ms);
  for (const Decision& d : decisions) {
    result +=
        fmt::format("{} {} {}\n", kNames[static_cast<std::size_t>(d.kind)], d.number, d.value);
  }
  return result;
}

Trace Trace::parse(std::string_view text) {
  std::size_t line_number = 1;
  if (take_line(text) != kFirstLine) {
    refuse(line_number, fmt::format("expected \"{}\"", kFirstLine));
  }
  Trace trace;
  std::string_view line = take_line(text);
  ++line_number;
  if (take_word(line) != "schedule") refuse(line_number, "expected the schedule");
  const auto policy = policy_named(take_word(line));
  const auto seed = number(take_word(line)), weak = number(take_word(line)),
             exited = number(take_word(line)), watchdog = number(take_word(line));
  if (!policy || !seed || !weak || *weak > 1 || !exited || *exited > 1 || !watchdog ||
      *watchdog > 1'000'000'000 || !line.empty()) {
    refuse(line_number, "not a schedule: expected policy, seed, weak, exited, watchdog");
  }
  trace.schedule.policy = *policy;
  trace.schedule.seed = *seed;
  trace.schedule.weak = *weak != 0;
  trace.schedule.exited_threads_pass_barriers = *exited != 0;
  trace.schedule.watchdog_ms = static_cast<unsigned>(*watchdog);
  while (!text.empty()) {
    line = take_line(text);
    ++line_number;
    const auto name = std::find(kNames.begin(), kNames.end(), take_word(line));
    const auto n = number(take_word(line)), value = number(take_word(line));
    if (name == kNames.end() || !n || !value || !line.empty()) {
      refuse(line_number, "not a decision: expected kind, number, value");
    }
    trace.decisions.push_back({static_cast<DecisionKind>(name - kNames.begin()), *n, *value});
    const std::size_t last = trace.decisions.size() - 1;
    if (last > 0) {
      const Decision &a = trace.decisions[last - 1], &b = trace.decisions[last];
      if (a.kind > b.kind || (a.kind == b.kind && a.number >= b.number)) {
        refuse(line_number, "decisions are not in order");
      }
    }
  }
  return trace;
}

// Zeller's ddmin over the list of decisions: drop ever smaller parts of it while the difference
// shows without them.
Trace minimise(const Trace& trace, const std::function<bool(const Trace&)>& still_shows,
               unsigned budget) {
  Trace best = trace;
  std::size_t parts = 2;
  const auto shows_without = [&](std::size_t begin, std::size_t end) {
    Trace candidate;
    candidate.schedule = trace.schedule;
    candidate.decisions.assign(best.decisions.begin(),
                               best.decisions.begin() + static_cast<std::ptrdiff_t>(begin));
    candidate.decisions.insert(candidate.decisions.end(),
                               best.decisions.begin() + static_cast<std::ptrdiff_t>(end),
                               best.decisions.end());
    if (!still_shows(candidate)) return false;
    best = std::move(candidate);
    return true;
  };
  // Whole kinds first: most of them do not matter.
  for (std::size_t k = 0; k < kDecisionKinds && budget > 0; ++k) {
    const auto is_kind = [&](const Decision& d) { return d.kind == static_cast<DecisionKind>(k); };
    const auto first = std::find_if(best.decisions.begin(), best.decisions.end(), is_kind);
    const auto last = std::find_if_not(first, best.decisions.end(), is_kind);
    if (first == last) continue;
    --budget;
    shows_without(static_cast<std::size_t>(first - best.decisions.begin()),
                  static_cast<std::size_t>(last - best.decisions.begin()));
  }
  while (!best.decisions.empty() && budget > 0) {
    const std::size_t n = best.decisions.size();
    parts = std::min(parts, n);
    bool dropped = false;
    // From the end: later decisions are less likely to change what earlier ones mean.
    for (std::size_t part = parts; part-- > 0 && budget > 0;) {
      const std::size_t begin = n * part / parts, end = n * (part + 1) / parts;
      --budget;
      if (shows_without(begin, end)) {
        dropped = true;
        break;
      }
    }
    if (dropped) {
      parts = std::max<std::size_t>(2, parts - 1);
    } else if (parts == n) {
      break;
    } else {
      parts = std::min(n, 2 * parts);
    }
  }
  return best;
}

}  // namespace foxhunt::simt
