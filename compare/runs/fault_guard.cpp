// SPDX-License-Identifier: MIT
#include "compare/runs/fault_guard.h"

#include <mutex>

namespace foxhunt {
namespace {

thread_local sigjmp_buf* t_target = nullptr;

std::mutex g_mutex;
int g_guards = 0;
struct sigaction g_previous;

void on_fault(int, siginfo_t*, void*) {
  if (t_target != nullptr) siglongjmp(*t_target, 1);
  // Not ours: hand the signal back; the faulting instruction runs again and raises it anew.
  sigaction(SIGBUS, &g_previous, nullptr);
}

}  // namespace

namespace internal {
sigjmp_buf** fault_target() noexcept { return &t_target; }
}  // namespace internal

FaultGuard::FaultGuard() {
  const std::lock_guard lock(g_mutex);
  if (g_guards++ > 0) return;
  struct sigaction action = {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, &g_previous);
}

FaultGuard::~FaultGuard() {
  const std::lock_guard lock(g_mutex);
  if (--g_guards == 0) sigaction(SIGBUS, &g_previous, nullptr);
}

}  // namespace foxhunt
