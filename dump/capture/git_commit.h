// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

namespace foxhunt {

// The commit that is checked out at `from` or in the nearest directory above that holds a `.git`:
// 40 or 64 hex digits. Empty where there is none, or none that plain files tell. Only reads small
// files; starts no process. Never throws.
std::string git_commit_at(const std::filesystem::path& from) noexcept;

}  // namespace foxhunt
