// SPDX-License-Identifier: MIT
#include "compare/report/exit_code.h"

namespace foxhunt {

int exit_code(Verdict verdict, const ExitPolicy& policy) noexcept {
  switch (verdict) {
    case Verdict::identical:
      return 0;
    case Verdict::diverged:
      return 1;
    case Verdict::unverified:
      break;
  }
  return trouble_exit_code(policy);
}

int exit_code(const Comparison& comparison, const ExitPolicy& policy) noexcept {
  if (policy.accept_tolerance && comparison.verdict == Verdict::diverged &&
      comparison.within_tolerance == true) {
    const bool all = comparison.everything_compared && !comparison.stopped_early;
    return all ? 0 : trouble_exit_code(policy);
  }
  return exit_code(comparison.verdict, policy);
}

}  // namespace foxhunt
