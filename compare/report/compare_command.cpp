// SPDX-License-Identifier: MIT
#include "compare/report/compare_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <functional>
#include <optional>

#include "compare/report/highlights.h"
#include "compare/report/json_report.h"
#include "compare/report/output.h"
#include "compare/report/progress.h"
#include "compare/report/text_report.h"
#include "dump/format/error.h"

namespace foxhunt {
namespace {

constexpr char kProgram[] = "compare-backward-state";

void complain(const char* what) { fmt::print(stderr, "{}: {}\n", kProgram, what); }

void check(const CompareCommand& command) {
  if (command.runs.size() < 2) {
    throw Error(Errc::bad_argument, "name two runs to compare (or more); {} given",
                command.runs.size());
  }
  if (!command.exit.accept_tolerance) return;
  if (command.options.tolerances.empty()) {
    throw Error(Errc::bad_argument,
                "--accept-tolerance needs a tolerance: --rtol, --atol or --tolerance");
  }
  if (command.options.first_only) {
    throw Error(Errc::bad_argument,
                "--accept-tolerance and --first exclude each other: what was not read is not "
                "known to be within tolerance");
  }
}

// A comparison that ended in a failure of ours or of the machine: the report still says so.
Comparison failed(const std::exception& error) {
  Comparison comparison;
  comparison.problems.push_back({"failed", "", error.what()});
  return comparison;
}

// Writes to the report's file, if one was asked for, and to stdout.
class Outlet {
 public:
  explicit Outlet(const CompareCommand& command) {
    if (command.report_path.empty()) return;
    file_.emplace(command.report_path, WholeFile::Existing::replace,
                  std::vector<std::filesystem::path>(command.runs.begin(), command.runs.end()));
  }

  using Write = std::function<void(int fd, std::string_view where)>;
  void to_file(const Write& write) {
    if (!file_) return;
    guarded([&] {
      write(file_->open(), file_->where());
      file_->commit();
    });
  }
  void to_stdout(const Write& write) {
    guarded([&] { write(STDOUT_FILENO, "standard output"); });
  }
  bool failed() const noexcept { return failed_; }

 private:
  template <class Action>
  void guarded(const Action& action) {
    try {
      action();
    } catch (const std::exception& error) {
      complain(error.what());
      failed_ = true;
    }
  }

  std::optional<WholeFile> file_;
  bool failed_ = false;
};

// Result is a Comparison or a Clustering; `text` gives the report for people.
template <class Result, class Text>
int deliver(const CompareCommand& command, Outlet& outlet, const JsonReport& json,
            const Result& result, int code, const Text& text) {
  const auto write_json = [&](int fd, std::string_view where) {
    json.write(fd, where, result, command.runs, code);
  };
  outlet.to_file(write_json);
  if (!command.quiet && command.json) outlet.to_stdout(write_json);
  if (!command.quiet && !command.json) {
    outlet.to_stdout([&](int fd, std::string_view where) { write_fully(fd, text(), where); });
  }
  return outlet.failed() ? trouble_exit_code(command.exit) : code;
}

}  // namespace

int compare_command(const CompareCommand& command) {
  check(command);
  Outlet outlet(command);
  const TextOptions text_options{command.colour, command.exit.accept_tolerance};
  const bool needs_json = command.json || !command.report_path.empty();
  JsonReport json;
  Highlights highlights;
  std::optional<Progress> progress(std::in_place, command.progress ? STDERR_FILENO : -1);
  Fanout sink;
  sink.add(highlights);
  if (needs_json) sink.add(json);
  if (command.progress) sink.add(*progress);

  if (command.runs.size() == 2) {
    Comparison comparison;
    try {
      comparison = compare_runs(command.runs[0], command.runs[1], command.options, sink);
    } catch (const std::exception& error) {
      comparison = failed(error);
    }
    progress.reset();
    const int code = exit_code(comparison, command.exit);
    return deliver(command, outlet, json, comparison, code,
                   [&] { return text_report(comparison, highlights, command.runs, text_options); });
  }

  const std::vector<std::filesystem::path> paths(command.runs.begin(), command.runs.end());
  CompareOptions options = command.options;
  options.first_only = options.tolerances.empty();
  const Clustering clustering = cluster_runs(paths.size(), [&](std::size_t a, std::size_t b) {
    json.set_pair(a, b);
    try {
      return compare_runs(paths[a], paths[b], options, sink);
    } catch (const std::exception& error) {
      return failed(error);
    }
  });
  progress.reset();
  const int code = exit_code(clustering, command.exit);
  return deliver(command, outlet, json, clustering, code,
                 [&] { return text_report(clustering, command.runs, text_options); });
}

ToleranceRule parse_tolerance_rule(const std::string& text) {
  const auto number = [&text](std::string_view digits) {
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool whole = error == std::errc() && end == digits.data() + digits.size();
    if (!whole || !std::isfinite(value) || value < 0) {
      throw Error(Errc::bad_argument,
                  "tolerance \"{}\": expected REGEX=RTOL,ATOL with two numbers from 0 on, found "
                  "\"{}\"",
                  text, digits);
    }
    return value;
  };
  const std::size_t equals = text.rfind('=');
  const std::size_t comma = text.find(',', equals == std::string::npos ? 0 : equals);
  if (equals == std::string::npos || comma == std::string::npos) {
    throw Error(Errc::bad_argument, "tolerance \"{}\": expected REGEX=RTOL,ATOL", text);
  }
  const std::string_view all = text;
  const double rtol = number(all.substr(equals + 1, comma - equals - 1));
  const double atol = number(all.substr(comma + 1));
  return {NamePattern(text.substr(0, equals)), rtol, atol};
}

}  // namespace foxhunt
