// SPDX-License-Identifier: MIT
#include "kernels/simt/explore/target.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "dump/format/error.h"
#include "kernels/simt/explore/case.h"
#include "kernels/simt/explore/trace_file.h"

namespace foxhunt {
namespace {

std::string known_cases() {
  std::string text;
  for (const ExploreCase& one : explore_cases()) text += fmt::format(" {}", one.name);
  return text.empty() ? " none: it has no FOXHUNT_EXPLORE" : text;
}

void check_names(const std::vector<ExploreCase>& cases) {
  for (auto one = cases.begin(); one != cases.end(); ++one) {
    const auto other = std::find_if(cases.begin(), one, [&](const ExploreCase& before) {
      return std::string_view(before.name) == one->name;
    });
    if (other != one) {
      throw Error(Errc::bad_argument, "two cases are called {}: at {}:{} and {}:{}", one->name,
                  other->file, other->line, one->file, one->line);
    }
  }
}

std::vector<ExploreCase> chosen(const std::string& only) {
  const std::vector<ExploreCase>& cases = explore_cases();
  check_names(cases);
  std::vector<ExploreCase> result;
  for (const ExploreCase& one : cases) {
    if (only.empty() || only == one.name) result.push_back(one);
  }
  if (result.empty()) {
    throw Error(Errc::missing, "no case '{}'; there are:{}", only, known_cases());
  }
  return result;
}

std::function<std::vector<std::byte>()> runner(const ExploreCase& one) {
  return [body = one.body] {
    ExploredOutputs outputs;
    body(outputs);
    return pack(outputs.all());
  };
}

CaseReport begin_report(const ExploreCase& one) {
  CaseReport report;
  report.name = one.name;
  report.file = one.file;
  report.line = one.line;
  return report;
}

void find_difference(CaseReport& report) {
  const Exploration& exploration = report.exploration;
  if (!exploration.divergence || !exploration.divergence->first_byte) return;
  report.difference = first_difference(unpack(exploration.outcomes.front().bytes),
                                       unpack(exploration.divergence->outcome.bytes));
}

CaseReport explore_case(const ExploreCase& one, const TargetRequest& request,
                        const std::string& build) {
  CaseReport report = begin_report(one);
  ExploreOptions options;
  options.schedules = request.schedules;
  options.seed = request.seed;
  options.policy = request.policy;
  if (request.progress) {
    options.progress = [&](std::uint64_t done, std::uint64_t all) {
      request.progress(report.name, done, all);
    };
  }
  report.exploration = explore(runner(one), options);
  find_difference(report);
  const auto& divergence = report.exploration.divergence;
  if (divergence && divergence->trace && request.keep_trace) {
    report.trace_file =
        request.trace_file.empty() ? report.name + ".trace" : request.trace_file.string();
    save_trace(report.trace_file,
               {report.name, build, divergence->outcome.digest, *divergence->trace});
  }
  return report;
}

CaseReport replay_case(const TargetRequest& request, const std::string& build) {
  const StoredTrace stored = load_trace(request.replay);
  if (stored.build != build) {
    throw Error(Errc::bad_argument,
                "{}: recorded in the {} build, which means nothing in the {} "
                "build",
                request.replay.string(), stored.build, build);
  }
  if (!request.only.empty() && request.only != stored.case_name) {
    throw Error(Errc::bad_argument, "{}: a trace of case {}, not of {}", request.replay.string(),
                stored.case_name, request.only);
  }
  const ExploreCase one = chosen(stored.case_name).front();
  CaseReport report = begin_report(one);
  report.exploration = explore_trace(runner(one), stored.trace);
  find_difference(report);
  const std::uint64_t outcome = report.exploration.divergence
                                    ? report.exploration.divergence->outcome.digest
                                    : report.exploration.outcomes.front().digest;
  report.as_recorded = outcome == stored.outcome;
  report.trace_file = request.replay.string();
  return report;
}

}  // namespace

TargetReport explore_target(const TargetRequest& request, const std::string& build) {
  TargetReport report;
  report.target = request.target;
  report.build = build;
  report.policy = request.policy ? std::string(simt::name(*request.policy)) : "cycle";
  report.seed = request.seed;
  if (!request.replay.empty()) {
    report.cases.push_back(replay_case(request, build));
    return report;
  }
  const std::vector<ExploreCase> cases = chosen(request.only);
  if (!request.trace_file.empty() && cases.size() > 1) {
    throw Error(Errc::bad_argument, "one file for the traces of {} cases; choose one of{}",
                cases.size(), known_cases());
  }
  for (const ExploreCase& one : cases) report.cases.push_back(explore_case(one, request, build));
  return report;
}

}  // namespace foxhunt
