// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace foxhunt {

// What the command line of explore-schedules says.
struct ExploreCommand {
  std::string target;  // a program made by foxhunt_add_exploration; "dir/name" or "name"
  std::string only;
  std::uint64_t schedules = 0;  // 0: 32, or in the race build the in-order one alone
  std::uint64_t seed = 0;
  std::string policy;  // empty: the cycle
  bool race = false;
  bool json = false;
  bool list = false;
  bool progress = false;
  bool keep_trace = true;
  std::string trace_file;
  std::string replay;
};

// Runs the target and prints its report on standard output; what the target prints itself goes to
// stderr. Returns the exit code: the target's 0, 1 or 2, and 2 if it ended in any other way.
// Throws Error: missing if there is no such program, or it has no race build beside it.
int explore_command(const ExploreCommand& command);

// The program to run: the target, or with `race` the `<name>-race` beside it.
std::filesystem::path target_program(const std::string& target, bool race);

// The target's arguments (target.h), but for the report's file descriptor.
std::vector<std::string> target_arguments(const ExploreCommand& command);

}  // namespace foxhunt
