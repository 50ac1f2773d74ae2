// SPDX-License-Identifier: MIT
#pragma once

#include "compare/report/cluster.h"
#include "compare/runs/comparison.h"

namespace foxhunt {

// Exit codes, as `diff` and `cmp` have them: 0 identical, 1 diverged, 2 anything that keeps us from
// saying either. `git bisect run` reads them differently: it takes 125 for "cannot be tested, skip
// this commit" and stops at anything above 127.
struct ExitPolicy {
  bool git_bisect = false;        // 2 becomes 125, a usage error 129
  bool accept_tolerance = false;  // 0 when all that was found lies within tolerance
};

constexpr int trouble_exit_code(const ExitPolicy& policy) noexcept {
  return policy.git_bisect ? 125 : 2;
}
constexpr int usage_exit_code(const ExitPolicy& policy) noexcept {
  return policy.git_bisect ? 129 : 2;
}

// With accept_tolerance, a divergence within tolerance counts as equality, and is held to the same
// conditions: everything must have been compared.
int exit_code(const Comparison& comparison, const ExitPolicy& policy) noexcept;
int exit_code(const Clustering& clustering, const ExitPolicy& policy) noexcept;

}  // namespace foxhunt
