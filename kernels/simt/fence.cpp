// SPDX-License-Identifier: MIT
#include "kernels/simt/engine.h"
#include "kernels/simt/policy.h"
#include "kernels/simt/race_detector.h"
#include "kernels/simt/store_buffer.h"

namespace foxhunt::simt {

void fence(FenceScope scope) {
  const RaceIgnored ignored;
  if (weak_memory) {
    if (scope == FenceScope::block) {
      publish_to_block(*current);
    } else {
      publish_to_device(*current);
    }
    lag_at_fence();
  }
  race_fence(scope);
  preemption_point(Point::fence);
}

void kernel_trap(const char* what, const char* file, int line) {
  std::string said = std::string(what) + " by " + place_of(*current);
  engine().fail(DiagnosticKind::trap, file, line, std::move(said));
}

unsigned long long clock_ticks() { return steps; }

}  // namespace foxhunt::simt
