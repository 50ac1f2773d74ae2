// SPDX-License-Identifier: MIT
#include "kernels/simt/watchdog.h"

#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "dump/format/error.h"
#include "kernels/simt/engine.h"
#include "kernels/simt/race_detector.h"
#include "kernels/simt/symbols.h"

namespace foxhunt::simt {
namespace {

constexpr unsigned kTickMs = 50;
constexpr unsigned kHurriedTickMs = 1;
constexpr int kIdleTicks = 40;  // of CPU time without a launch, until the timer is put away

// Of the launch that is watched; the handler runs on the same thread.
volatile unsigned limit = 0;  // 0: none
volatile std::uint64_t seen_progress = 0, seen_steps = 0;
const Thread* volatile seen_thread = nullptr;  // of a batch
volatile unsigned ticks = 0;
volatile bool expired = false;

timer_t timer;
pid_t timer_thread = 0;  // whose time it counts
volatile bool ticking = false;
volatile int idle_ticks = 0;
volatile bool hurried = false;

int signal_number() { return SIGRTMIN + 7; }

void set_timer(long ms) {
  const timespec interval{0, ms * 1'000'000};
  const itimerspec setting{interval, interval};
  timer_settime(timer, 0, &setting, nullptr);
  ticking = ms != 0;
}

// Ticks come often while the handler waits for a moment at which it can end the launch.
void hurry(bool yes) {
  if (hurried == yes) return;
  hurried = yes;
  set_timer(yes ? kHurriedTickMs : kTickMs);
}

#if defined(FOXHUNT_SIMT_RACE_RUNTIME)
extern "C" const char __executable_start, etext;
// Not ThreadSanitizer's code, which may hold locks that nobody would ever give back.
bool may_be_left(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return at >= reinterpret_cast<std::uintptr_t>(&__executable_start) &&
         at < reinterpret_cast<std::uintptr_t>(&etext);
}
#else
bool may_be_left(const void*) { return true; }
#endif

[[noreturn]] void give_up_spinning(const void* address) {
  Engine& e = engine();
  const unsigned ms = limit;
  limit = 0;
  expired = false;
  hurry(false);
  e.error = cudaErrorLaunchTimeout;
  static CodePlace place;
  place = place_of_running_code(address);
  std::string said = fmt::format("{} spins here: the kernel used {} ms of CPU time and got nowhere",
                                 place_of(*current), ms);
  e.fail(DiagnosticKind::spin, place.file.c_str(), place.line, std::move(said));
}

// The signal's handler is never left then, but its thread goes on without it.
void give_up_if_possible(const void* address) {
  if (address != nullptr && !may_be_left(address)) {
    hurry(true);
    return;
  }
  sigset_t mine;
  sigemptyset(&mine);
  sigaddset(&mine, signal_number());
  syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &mine, nullptr, 8);
  give_up_spinning(address);
}

void on_tick(int, siginfo_t*, void* context) {
  const int saved_errno = errno;
  if (limit == 0) {
    idle_ticks = idle_ticks + 1;
    if (idle_ticks > kIdleTicks) set_timer(0);
  } else if (progress != seen_progress || (batch_end != nullptr && current != seen_thread)) {
    seen_progress = progress;
    seen_thread = current;
    ticks = 0;
    hurry(false);
  } else if (ticks = ticks + 1; ticks * kTickMs >= limit) {
    if (!expired || steps != seen_steps || current == nullptr) {
      expired = true;
      seen_steps = steps;
      next_change = 0;
    } else {
      // No point in all that time.
#if defined(__x86_64__)
      const auto* const at = static_cast<const ucontext_t*>(context);
      give_up_if_possible(reinterpret_cast<const void*>(at->uc_mcontext.gregs[REG_RIP]));
#else
      static_cast<void>(context);
      give_up_if_possible(nullptr);
#endif
    }
  }
  errno = saved_errno;
}

#if defined(FOXHUNT_SIMT_RACE_RUNTIME) && defined(__x86_64__)

// ThreadSanitizer holds signals back until a call into it, which a spin never makes: so the handler
// is installed behind its back.
extern "C" void foxhunt_simt_restore();
asm(R"(
.text
.globl foxhunt_simt_restore
.hidden foxhunt_simt_restore
.type foxhunt_simt_restore,@function
foxhunt_simt_restore:
  movq $15, %rax
  syscall
.size foxhunt_simt_restore,.-foxhunt_simt_restore
)");

void install_handler() {
  struct {
    void (*handler)(int, siginfo_t*, void*);
    unsigned long flags;
    void (*restorer)();
    unsigned long mask;
  } action{on_tick, SA_SIGINFO | SA_RESTART | 0x04000000 /* SA_RESTORER */, foxhunt_simt_restore,
           0};
  syscall(SYS_rt_sigaction, signal_number(), &action, nullptr, 8);
}

#else

void install_handler() {
  struct sigaction action {};
  action.sa_sigaction = on_tick;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(signal_number(), &action, nullptr);
}

#endif

// The timer of this thread's CPU time, made anew where the host has moved to another thread.
void make_timer() {
  const pid_t me = static_cast<pid_t>(syscall(SYS_gettid));
  if (timer_thread == me) return;
  if (timer_thread != 0) timer_delete(timer);
  install_handler();
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = signal_number();
  event._sigev_un._tid = me;
  if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) != 0) {
    throw Error(Errc::limit, "cannot make the timer that ends kernels which spin: {}",
                errno_text(errno));
  }
  timer_thread = me;
}

}  // namespace

void watch_launch(unsigned limit_ms) {
  if (limit_ms == 0) return;
  if (!ticking) {
    make_timer();
    set_timer(kTickMs);
  }
  seen_progress = progress - 1;
  ticks = 0;
  idle_ticks = 0;
  expired = false;
  // In the race build it has to wait for a moment outside ThreadSanitizer then, which takes the
  // rest.
  limit = kDetectsRaces ? limit_ms * 2 / 3 : limit_ms;
}

void stop_watching() { limit = 0; }

void check_watchdog() {
  if (expired && limit != 0) give_up_spinning(nullptr);
}

}  // namespace foxhunt::simt
