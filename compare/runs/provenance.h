// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "compare/runs/comparison.h"
#include "compare/runs/run.h"

namespace foxhunt {

// Everything that the manifests say differently: provenance, what was asked for, the profile. Empty
// when neither run has a manifest; one entry "manifest" when only one has. By key.
// Throws Error for a damaged profile.
std::vector<ProvenanceDifference> provenance_differences(Run& a, Run& b);

}  // namespace foxhunt
