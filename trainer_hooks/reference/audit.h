// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "kernels/registry/selection.h"

namespace foxhunt {

// One setting that decides whether two runs end in the same bits.
struct AuditLine {
  std::string setting, value;
  bool deterministic;
};

// All of them, as they are in this process on its backend.
std::vector<AuditLine> determinism_audit(const VariantSelection& variants);
bool all_deterministic(const std::vector<AuditLine>& audit);

}  // namespace foxhunt
