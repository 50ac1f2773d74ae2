// SPDX-License-Identifier: MIT
#pragma once

#include <spawn.h>
#include <sys/types.h>

#include <string>
#include <vector>

namespace foxhunt::bench {

// Starts a program (looked for on PATH) with its output thrown away; `result_fd`, unless it is -1,
// becomes its descriptor 3. Throws Error io if it cannot be started.
pid_t spawn_quietly(const std::vector<std::string>& arguments, int result_fd = -1);

}  // namespace foxhunt::bench
