// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "compare/verdict/seen_step.h"
#include "compare/verdict/walk.h"

namespace foxhunt {

// The current step (front) and the dumped ones right before it, without a gap.
using Window = std::vector<std::shared_ptr<const SeenStep>>;

// An origin of the current step, without its surroundings.
struct OriginPlace {
  int buffer = -1;
  std::uint32_t occurrence = 0;
  Claim claim = Claim::suspected;
};

// Rules 1 to 3 over the current step: its divergent instances with no divergent and no tainted
// input, in the order in which they were made.
std::vector<OriginPlace> find_origins(const Profile& profile, const Window& window);

}  // namespace foxhunt
