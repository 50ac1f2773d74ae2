// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "compare/numerics/difference.h"

namespace foxhunt {

// The samples that are there, each element once: the first, the farthest, the last.
inline std::vector<Difference::Sample> samples_of(const Difference& difference) {
  std::vector<Difference::Sample> samples;
  for (const auto& sample :
       {difference.sample_first, difference.sample_max, difference.sample_last}) {
    const bool seen = !samples.empty() && samples.back().index == sample.index;
    if (sample.index != Difference::kNone && !seen) samples.push_back(sample);
  }
  return samples;
}

}  // namespace foxhunt
