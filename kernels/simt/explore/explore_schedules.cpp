// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <string>

#include "dump/format/error.h"
#include "kernels/simt/explore/command.h"

namespace {

constexpr char kProgram[] = "explore-schedules";
constexpr char kAbout[] =
    "Runs the kernels of a program that foxhunt_add_exploration made under many schedules on this "
    "CPU, and says whether their bits depend on the schedule.";
constexpr char kFooter[] =
    "Exit codes: 0 every case leaves the same bits under all schedules, 1 some case does not or "
    "has "
    "a race, 2 anything that keeps it from saying either (usage errors too).";

}  // namespace

int main(int argc, char** argv) {
  using namespace foxhunt;
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away is an error to report
  ExploreCommand command;
  std::string format = "text";
  bool no_trace = false;

  CLI::App app(kAbout, kProgram);
  app.footer(kFooter);
  app.set_version_flag("--version", fmt::format("{} {}", kProgram, FOXHUNT_VERSION));
  app.add_option("target", command.target, "the program with the cases")
      ->type_name("TARGET")
      ->required();
  app.add_flag("--list", command.list, "list the cases and run none");
  app.add_option("--case", command.only, "explore this case alone")->type_name("NAME");
  app.add_option("--schedules", command.schedules,
                 "how many: in order, in reverse, and others (32; with --race 1)")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}));
  app.add_option("--seed", command.seed, "another one draws other schedules")->type_name("SEED");
  app.add_option("--policy", command.policy,
                 "all schedules but the first by this one: reverse, permute, walk, swarm, pct")
      ->check(CLI::IsMember({"reverse", "permute", "walk", "swarm", "pct"}));
  app.add_flag("--race", command.race, "run the race build: pairs of unordered accesses");
  app.add_option("--replay", command.replay,
                 "run the schedule of this trace beside the in-order one")
      ->type_name("TRACE");
  auto* const save = app.add_option("--save-trace", command.trace_file,
                                    "where the trace of a case goes (CASE.trace)")
                         ->type_name("FILE");
  app.add_flag("--no-trace", no_trace, "keep no trace")->excludes(save);
  app.add_option("--format", format, "of the report on standard output: text or json")
      ->check(CLI::IsMember({"text", "json"}));

  try {
    app.parse(argc, argv);
    command.json = format == "json";
    command.keep_trace = !no_trace;
    if (command.schedules == 1 && !command.race) {
      throw Error(Errc::bad_argument, "--schedules 1 compares nothing: ask for 2 or more");
    }
    command.progress = ::isatty(STDERR_FILENO) != 0;
    return explore_command(command);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) {
      fmt::print(stderr, "{}: {}\nTry '{} --help'.\n", kProgram, error.what(), kProgram);
      return 2;
    }
    app.exit(error);  // --help and --version
    std::cout.flush();
    if (std::cout) return 0;
    fmt::print(stderr, "{}: standard output cannot be written\n", kProgram);
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", kProgram, error.what());
    return 2;
  }
}
