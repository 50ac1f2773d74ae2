// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "compare/verdict/taint.h"

namespace foxhunt {

// All that is said of the first step in which something diverged. `instances` are that step's, with
// `ids` their buffers in the profile, -1 where it knows none; no step of the window before it holds
// a divergence.
FirstDivergence describe_divergence(const Profile& profile, const Window& window,
                                    std::uint64_t step, std::span<const Instance> instances,
                                    std::span<const int> ids);

}  // namespace foxhunt
