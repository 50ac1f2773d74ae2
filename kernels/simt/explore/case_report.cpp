// SPDX-License-Identifier: MIT
#include "kernels/simt/explore/case_report.h"

#include <algorithm>

namespace foxhunt {

const char* name(CaseVerdict verdict) noexcept {
  switch (verdict) {
    case CaseVerdict::invariant:
      return "INVARIANT";
    case CaseVerdict::schedule_dependent:
      return "SCHEDULE-DEPENDENT";
    case CaseVerdict::race:
      return "RACE";
    case CaseVerdict::race_free:
      return "RACE-FREE";
    case CaseVerdict::failed:
      return "FAILED";
  }
  return "?";
}

CaseVerdict verdict(const CaseReport& report) {
  const Exploration& exploration = report.exploration;
  if (!exploration.races.empty()) return CaseVerdict::race;
  if (exploration.divergence) return CaseVerdict::schedule_dependent;
  if (!exploration.schedule_invariant() || !exploration.diagnostics.empty()) {
    return CaseVerdict::failed;
  }
  return exploration.schedules == 1 ? CaseVerdict::race_free : CaseVerdict::invariant;
}

int exit_code(const TargetReport& report) {
  bool all_well = !report.cases.empty(), found = false;
  for (const CaseReport& one : report.cases) {
    const CaseVerdict its = verdict(one);
    all_well = all_well && (its == CaseVerdict::invariant || its == CaseVerdict::race_free);
    found = found || its == CaseVerdict::schedule_dependent || its == CaseVerdict::race;
  }
  if (found) return 1;
  return all_well ? 0 : 2;
}

}  // namespace foxhunt
