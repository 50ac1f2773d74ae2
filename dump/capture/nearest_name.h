// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "dump/format/profile.h"

namespace foxhunt {

// The buffer whose name takes the fewest typing mistakes to become `name`; empty where none is
// close.
std::string_view nearest_name(const Profile& profile, std::string_view name);

}  // namespace foxhunt
