// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "kernels/simt/explore/case_report.h"
#include "kernels/simt/schedule.h"

namespace foxhunt {

// What explore-schedules asks a target for: a program of cases, which runs them itself.
struct TargetRequest {
  std::string target;  // what the user calls the program
  std::string only;    // this case alone; empty: all
  std::uint64_t schedules = 32;
  std::uint64_t seed = 0;
  std::optional<simt::Policy> policy;
  // A divergence's trace goes to `<case>.trace` in the working directory, or to this file (one case
  // only), or nowhere.
  bool keep_trace = true;
  std::filesystem::path trace_file;
  std::filesystem::path replay;  // run this trace instead; it names its case
  // Called after each schedule of each case.
  std::function<void(const std::string& name, std::uint64_t done, std::uint64_t all)> progress;
};

// Explores this program's cases (case.h). Throws Error: missing if there is no such case,
// bad_argument if two cases have one name, one file is wanted for the traces of several cases, or a
// trace is of another build.
TargetReport explore_target(const TargetRequest& request, const std::string& build);

// main() of a target. Its arguments are explore-schedules's business and may change:
// key=value, with the report's text or JSON going to the file descriptor `report`.
int target_main(int argc, char** argv, const char* build) noexcept;

}  // namespace foxhunt
