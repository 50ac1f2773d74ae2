// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "compare/inspect/inspect_command.h"
#include "compare/report/output.h"
#include "compare/report/profile_file.h"
#include "compare/report/version.h"
#include "dump/format/error.h"

namespace {

constexpr char kProgram[] = "inspect-run";
constexpr char kAbout[] = "Looks into one run directory.";
constexpr char kFooter[] =
    "Commands:\n"
    "  list                       steps, groups, buffers and digests (when no command is given)\n"
    "  verify                     every digest against the bytes, the log against its end marker\n"
    "  show STEP NAME             a buffer's values, so that they read back exactly\n"
    "  export STEP NAME OUT.npy   a buffer as a NumPy file\n"
    "The command may also stand before RUN. A run directory of a command's name: ./list.\n"
    "Exit codes: 0 done (verify: all as written), 1 verify found a mismatch, 2 trouble.";

}  // namespace

int main(int argc, char** argv) {
  using namespace foxhunt;
  std::signal(SIGPIPE, SIG_IGN);
  InspectCommand command;
  std::string steps = "all", groups, profile_path;
  std::vector<std::string> include, exclude;
  std::uint32_t rank = 0;

  CLI::App app(kAbout, kProgram);
  app.footer(kFooter);
  app.set_version_flag("--version", fmt::format("{} {}", kProgram, foxhunt_version()));
  app.add_option("words", command.words, "a run directory and what to do with it")
      ->type_name("RUN [COMMAND ...]")
      ->required();
  const auto* const rank_option =
      app.add_option("--rank", rank, "this rank alone")->type_name("R")->check(CLI::Range(65535u));
  app.add_option("--steps", steps, "list, verify: these alone: 0-3,100,200- or all")
      ->type_name("STEPS");
  app.add_option("--groups", groups, "list, verify: these groups alone: gh or g,h")
      ->type_name("LETTERS");
  app.add_option("--include", include, "list, verify: buffers whose name matches (repeatable)")
      ->type_name("REGEX")
      ->allow_extra_args(false);
  app.add_option("--exclude", exclude, "list, verify: leave out those (repeatable)")
      ->type_name("REGEX")
      ->allow_extra_args(false);
  app.add_option("--profile", profile_path, "what a bare run's buffers are")->type_name("FILE");
  app.add_option("--occurrence", command.occurrence, "show, export: which update within the step")
      ->type_name("I");
  app.add_option("--dtype", command.dtype, "show, export: of a buffer that no profile knows")
      ->type_name("TYPE");
  app.add_option("--limit", command.limit, "show: values to print, 0 for all; default 64")
      ->type_name("N");
  app.add_flag("--force", command.force, "export: overwrite a file that is there");

  const auto fail = [](const char* what, const char* more) {
    fmt::print(stderr, "{}: {}\n{}", kProgram, what, more);
    return 2;
  };
  constexpr char kTry[] = "Try 'inspect-run --help'.\n";
  try {
    app.parse(argc, argv);
    command.selection.steps = StepSet::parse(steps);
    command.selection.filter = NameFilter(groups, include, exclude);
    if (rank_option->count() > 0) command.selection.rank = rank;
    Profile profile;
    if (!profile_path.empty()) {
      profile = read_profile_file(profile_path);
      command.selection.profile = &profile;
    }
    return inspect_command(
        command, [](std::string_view text) { write_fully(STDOUT_FILENO, text, "standard output"); },
        [](std::string_view text) { fmt::print(stderr, "{}: {}", kProgram, text); });
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return fail(error.what(), kTry);
    app.exit(error);
    std::cout.flush();
    return std::cout ? 0 : fail("standard output cannot be written", "");
  } catch (const Error& error) {
    return fail(error.what(), error.code() == Errc::bad_argument ? kTry : "");
  } catch (const std::exception& error) {
    return fail(error.what(), "");
  }
}
