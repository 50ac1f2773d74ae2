// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace foxhunt::simt {

enum class DiagnosticKind : std::uint8_t {
  barrier_divergence,  // threads of a block wait at different barriers, or some never come
  exited_lane,         // a warp collective names a lane that has returned
  lane_not_in_mask,    // a lane executes a collective whose mask leaves it out
  shuffle_source,      // a shuffle reads a lane that does not take part
  deadlock,            // threads wait for others that never come
  spin,                // no progress for the watchdog's time
  trap,                // __trap, or too much shared memory
  stream_misuse,       // an event or stream that is unknown, destroyed or waits for ever
  memory_misuse,       // freeing what was not allocated, or copying outside
};

std::string_view name(DiagnosticKind kind);

// One mistake of a kernel or of the host code that drives it.
struct Diagnostic {
  DiagnosticKind kind;
  bool fatal = true;   // the launch was given up, and CUDA's next call returned an error
  std::string kernel;  // its name; empty for the host's mistakes
  std::string file;    // where in the source, as the compiler was told; may be empty
  int line = 0;        // 0: unknown
  std::string text;    // "barrier.cu:17: 12 threads of block (3,0,0) wait here, 20 have returned"
};

// Those since set_schedule or the last take_diagnostics(), oldest first. The same mistake at the
// same place is told once.
const std::vector<Diagnostic>& diagnostics();
std::vector<Diagnostic> take_diagnostics();

}  // namespace foxhunt::simt
