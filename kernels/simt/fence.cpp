// SPDX-License-Identifier: MIT
#include <chrono>

#include "kernels/simt/engine.h"

namespace foxhunt::simt {

void fence(FenceScope) { preemption_point(Point::fence); }

void before_atomic(void*, std::size_t) {}

void after_atomic(void*, std::size_t) {}

void kernel_trap(const char* what, const char* file, int line) {
  engine().fail(DiagnosticKind::trap, file, line, std::string(what) + " by " + place_of(*current));
}

unsigned long long clock_ticks() { return steps; }

}  // namespace foxhunt::simt
