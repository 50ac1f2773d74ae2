// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "compare/runs/comparison.h"

namespace foxhunt {

// What compare-backward-state says of two runs.
struct JudgedPair {
  Verdict verdict = Verdict::unverified;
  std::optional<FirstDivergence> first;
  std::string problem;  // the first one, if there is any

  // "step 3.1: dqn_head_fwd proven at q_logits", "identical", "unverified: …".
  std::string text() const;
};
JudgedPair judge(const std::filesystem::path& a, const std::filesystem::path& b);

// The first step of which a file differs or is in one run only, by nothing but names and bytes.
std::optional<std::uint64_t> first_differing_step(const std::filesystem::path& a,
                                                  const std::filesystem::path& b);

// Leaves of a run what another trainer's dumper would have: the payloads of groups g to k, and
// nothing that says what they are.
void make_bare(const std::filesystem::path& run);

}  // namespace foxhunt
