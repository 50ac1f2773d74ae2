// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "dump/format/profile.h"

namespace foxhunt {

// The profile as JSON, one line a buffer, maker and launch, so that people can read and diff it.
// The keys are described in dump/FORMAT.md.
std::string profile_to_json(const Profile& profile);

// Throws Error: format with what is wrong and where; version for a profile of a later foxhunt. The
// result is validated. `where` names the source in messages.
Profile profile_from_json(std::string_view json, std::string_view where);

// The profile of the foxhunt reference trainer, used for bare runs. Parsed on first use.
const Profile& builtin_profile();
std::string_view builtin_profile_json();

}  // namespace foxhunt
