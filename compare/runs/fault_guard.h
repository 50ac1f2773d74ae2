// SPDX-License-Identifier: MIT
#pragma once

#include <csetjmp>
#include <csignal>

namespace foxhunt {

// A file that shrinks under a mapping raises SIGBUS at the next touch. While a FaultGuard lives,
// such a fault inside guarded() makes it return false instead of ending the program; a SIGBUS from
// anywhere else goes where it went before. Guards may nest and overlap on several threads.
class FaultGuard {
 public:
  FaultGuard();
  ~FaultGuard();
  FaultGuard(const FaultGuard&) = delete;
  FaultGuard& operator=(const FaultGuard&) = delete;
};

namespace internal {
sigjmp_buf** fault_target() noexcept;
}

// Runs `work`; false if it touched a mapped page that is gone, its effects then being undefined.
// `work` must own nothing (no destructor, no lock, no allocation), as it may be left in the middle.
template <class Work>
[[nodiscard, gnu::noinline]] bool guarded(Work&& work) noexcept {
  sigjmp_buf jump;
  // With the mask saved: the handler runs with SIGBUS blocked.
  if (sigsetjmp(jump, 1) != 0) {
    *internal::fault_target() = nullptr;
    return false;
  }
  *internal::fault_target() = &jump;
  work();
  *internal::fault_target() = nullptr;
  return true;
}

}  // namespace foxhunt
