// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "compare/inspect/list.h"

namespace foxhunt {

// What inspect-run was asked for.
struct InspectCommand {
  // "RUN [COMMAND [ARGUMENT...]]"; the command may also come first. No command: list.
  std::vector<std::string> words;
  Selection selection;
  std::uint32_t occurrence = 0;
  std::uint64_t limit = 64;
  std::string dtype;  // of a bare run's buffer; empty: the profile's
  bool force = false;
};

// Does it, writing the result to `out` and trouble to `err`. Returns the exit code: 0; 1 when
// `verify` found a mismatch; 2 when it cannot tell or something is wrong with the run. Throws
// Error, bad_argument for words that make no sense.
int inspect_command(const InspectCommand& command, const TextSink& out, const TextSink& err);

}  // namespace foxhunt
