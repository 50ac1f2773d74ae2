// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/simt/explore.h"
#include "kernels/simt/explore/outputs.h"

namespace foxhunt {

enum class CaseVerdict {
  invariant,           // the same bits under all schedules, and nothing else to say
  schedule_dependent,  // other bits, or an error, under some
  race,                // two accesses that nothing orders
  race_free,           // of one schedule in the race build: no such accesses, and no word on bits
  failed,              // an error or a mistake under every schedule: no word about the rest
};

// "INVARIANT"
const char* name(CaseVerdict verdict) noexcept;

struct CaseReport {
  std::string name, file;  // of the case, and where it is written
  int line = 0;
  Exploration exploration;
  // Of the in-order outcome and the divergence's, unless one of them is an error.
  std::optional<OutputDifference> difference;
  std::string trace_file;  // where the divergence's trace lies; empty if nowhere
  // Of a replay: whether the outcome is the one that was recorded.
  std::optional<bool> as_recorded;
};

CaseVerdict verdict(const CaseReport& report);

// What explore-schedules says of a program.
struct TargetReport {
  std::string target;  // as the user named it
  std::string build;   // instrumented, race, plain
  std::string policy;  // or "cycle"
  std::uint64_t seed = 0;
  std::vector<CaseReport> cases;
};

// 0: all cases are invariant (or free of races). 1: some case is schedule-dependent or has a race.
// 2: else.
int exit_code(const TargetReport& report);

std::string text_of(const TargetReport& report);
std::string json_of(const TargetReport& report);

}  // namespace foxhunt
