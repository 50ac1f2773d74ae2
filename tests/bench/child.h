// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace foxhunt::bench {

struct ChildResult {
  double seconds = 0;  // from before the spawn until it was reaped
  int exit_code = 0;   // 128 + the signal's number if a signal ended it
  long max_rss_kib = 0;
};

// Runs a program (looked for on PATH) to its end, its output thrown away, under the launcher.
// Throws Error io if it cannot be started.
ChildResult run_child(const std::vector<std::string>& arguments);

// As above; throws Error io as well if the exit code is another than `expected`.
ChildResult run_child(const std::vector<std::string>& arguments, int expected);

}  // namespace foxhunt::bench
