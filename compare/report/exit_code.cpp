// SPDX-License-Identifier: MIT
#include "compare/report/exit_code.h"

#include <algorithm>

namespace foxhunt {
namespace {

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

}  // namespace

int exit_code(const Comparison& comparison, const ExitPolicy& policy) noexcept {
  if (policy.accept_tolerance && comparison.verdict == Verdict::diverged &&
      comparison.within_tolerance == true) {
    const bool all = comparison.everything_compared && !comparison.stopped_early;
    return all ? 0 : trouble_exit_code(policy);
  }
  return exit_code(comparison.verdict, policy);
}

int exit_code(const Clustering& clustering, const ExitPolicy& policy) noexcept {
  if (policy.accept_tolerance && clustering.verdict == Verdict::diverged &&
      clustering.within_tolerance == true) {
    // Every run was compared with run 0; two runs within tolerance of it need no third opinion.
    const bool all =
        std::all_of(clustering.pairs.begin(), clustering.pairs.end(),
                    [](const PairResult& pair) { return pair.a != 0 || pair.everything_compared; });
    return all ? 0 : trouble_exit_code(policy);
  }
  return exit_code(clustering.verdict, policy);
}

}  // namespace foxhunt
