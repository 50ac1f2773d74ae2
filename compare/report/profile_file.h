// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "dump/format/profile.h"

namespace foxhunt {

// Reads the profile that the user named (--profile FILE). Throws Error: missing, io, limit, and
// what profile_from_json throws.
Profile read_profile_file(const std::filesystem::path& path);

}  // namespace foxhunt
