// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "compare/report/compare_command.h"
#include "compare/report/profile_file.h"
#include "compare/report/version.h"
#include "dump/format/error.h"

namespace {

constexpr char kProgram[] = "compare-backward-state";
constexpr char kAbout[] =
    "Compares run directories byte by byte and names the first divergent step, group, buffer and "
    "kernel.";
constexpr char kFooter[] =
    "Exit codes: 0 identical, 1 diverged, 2 anything that keeps it from saying either (usage "
    "errors "
    "too); with --git-bisect 125 instead of 2, and 129 for usage errors.";

bool wants_colour(const std::string& when) {
  if (when != "auto") return when == "always";
  const char* const no_colour = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) != 0 && (no_colour == nullptr || *no_colour == '\0') &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

// The options that leave something out, as the user might write them.
std::string describe_selection(const std::string& steps, const std::string& groups,
                               const std::vector<std::string>& include,
                               const std::vector<std::string>& exclude) {
  std::string text;
  const auto add = [&text](const char* option, const std::string& value) {
    text += fmt::format("{}{} {}", text.empty() ? "" : " ", option, value);
  };
  if (steps != "all") add("--steps", steps);
  if (!groups.empty()) add("--groups", groups);
  for (const std::string& pattern : include) add("--include", pattern);
  for (const std::string& pattern : exclude) add("--exclude", pattern);
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace foxhunt;
  // A reader that goes away is an error to report, not a reason to die before the report's file is
  // in place.
  std::signal(SIGPIPE, SIG_IGN);
  CompareCommand command;
  // Known before the parse, so that a mistake elsewhere still gets the right code.
  command.exit.git_bisect = std::any_of(
      argv, argv + argc, [](const char* word) { return std::string_view(word) == "--git-bisect"; });

  std::string steps = "all", groups, format = "text", colour = "auto", profile_path;
  std::vector<std::string> include, exclude, tolerances;
  double rtol = 0, atol = 0;

  CLI::App app(kAbout, kProgram);
  app.footer(kFooter);
  app.set_version_flag("--version", fmt::format("{} {}", kProgram, foxhunt_version()));
  app.add_option("run", command.runs, "run directories: two, or more to see which are alike")
      ->type_name("RUN")
      ->required();
  app.add_option("--format", format, "of the report on standard output: text or json")
      ->check(CLI::IsMember({"text", "json"}));
  app.add_option("--report-path", command.report_path, "also write the report to FILE, as JSON")
      ->type_name("FILE");
  app.add_option("--steps", steps, "compare these alone: 0-3,100,200- or all")->type_name("STEPS");
  app.add_option("--groups", groups, "compare these groups alone: gh or g,h")->type_name("LETTERS");
  app.add_option("--include", include, "compare buffers whose name matches (repeatable)")
      ->type_name("REGEX")
      ->allow_extra_args(false);
  app.add_option("--exclude", exclude, "leave out buffers whose name matches (repeatable)")
      ->type_name("REGEX")
      ->allow_extra_args(false);
  app.add_option("--profile", profile_path,
                 "the graph of buffers and kernels, instead of the runs'")
      ->type_name("FILE");
  app.add_flag("--first", command.options.first_only, "stop after the first divergent step");
  const auto* const rtol_option =
      app.add_option("--rtol", rtol, "report what lies within |a-b| <= ATOL + RTOL*|b|")
          ->type_name("RTOL")
          ->check(CLI::NonNegativeNumber);
  const auto* const atol_option = app.add_option("--atol", atol, "see --rtol")
                                      ->type_name("ATOL")
                                      ->check(CLI::NonNegativeNumber);
  app.add_option("--tolerance", tolerances,
                 "for buffers whose name matches (repeatable, first wins)")
      ->type_name("REGEX=RTOL,ATOL")
      ->allow_extra_args(false);
  app.add_flag("--accept-tolerance", command.exit.accept_tolerance,
               "exit 0 when everything lies within tolerance; the verdict stays bytewise");
  app.add_flag("--all", command.options.list_equal, "list equal buffers in the JSON too");
  app.add_option("--jobs", command.options.jobs, "threads; 0: one a core")
      ->type_name("N")
      ->check(CLI::Range(0u, 1024u));
  app.add_flag("--git-bisect", command.exit.git_bisect, "exit codes for `git bisect run`");
  app.add_flag("--quiet", command.quiet, "nothing on standard output: the exit code says it");
  app.add_option("--color", colour, "auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}));

  const auto usage_error = [&](const char* what) {
    fmt::print(stderr, "{}: {}\nTry '{} --help'.\n", kProgram, what, kProgram);
    return usage_exit_code(command.exit);
  };
  try {
    app.parse(argc, argv);
    command.json = format == "json";
    command.colour = wants_colour(colour);
    command.progress = ::isatty(STDERR_FILENO) != 0;
    command.options.steps = StepSet::parse(steps);
    command.options.filter = NameFilter(groups, include, exclude);
    command.options.selection = describe_selection(steps, groups, include, exclude);
    for (const std::string& text : tolerances) {
      command.options.tolerances.push_back(parse_tolerance_rule(text));
    }
    if (rtol_option->count() + atol_option->count() > 0) {
      command.options.tolerances.push_back({NamePattern(""), rtol, atol});
    }
    Profile profile;
    if (!profile_path.empty()) {
      profile = read_profile_file(profile_path);
      command.options.profile = &profile;
    }
    return compare_command(command);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return usage_error(error.what());
    // --help and --version.
    app.exit(error);
    std::cout.flush();
    if (std::cout) return 0;
    fmt::print(stderr, "{}: standard output cannot be written\n", kProgram);
    return trouble_exit_code(command.exit);
  } catch (const Error& error) {
    return usage_error(error.what());
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", kProgram, error.what());
    return trouble_exit_code(command.exit);
  }
}
