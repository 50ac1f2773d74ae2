// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "compare/runs/comparison.h"
#include "compare/runs/run.h"

namespace foxhunt {

// Everything that the manifests say differently: provenance, what was asked for, the profile. Empty
// when neither run has a manifest; one entry "manifest" when only one has. By key.
std::vector<ProvenanceDifference> provenance_differences(const Run& a, const Run& b);

}  // namespace foxhunt
