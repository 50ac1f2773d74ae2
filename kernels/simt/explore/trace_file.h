// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "kernels/simt/trace.h"

namespace foxhunt {

// A trace with what it belongs to. On disk, as text:
//
//   foxhunt-schedule-trace 1
//   case <name>
//   build <instrumented, race, plain>
//   outcome <16 hexadecimal digits: ExploredOutcome::digest>
//   <the trace, as Trace::text() tells it>
//
// It leads to that outcome in the program that recorded it, and in no other build of it for
// certain.
struct StoredTrace {
  std::string case_name;
  std::string build;
  std::uint64_t outcome = 0;
  simt::Trace trace;
};

// Throws Error: io if the file cannot be written; then a part of it may be there.
void save_trace(const std::filesystem::path& file, const StoredTrace& stored);

// Throws Error: missing or io if it cannot be read, format or version if it is no such file.
StoredTrace load_trace(const std::filesystem::path& file);

}  // namespace foxhunt
