// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace foxhunt::simt {

// The order in which the executor runs what a GPU runs in no promised order.
//
// A schedule decides which blocks are resident, which thread runs after each preemption point, when
// a plain store becomes visible, what uninitialised memory holds, and when queued work on streams
// starts. The same schedule in the same program gives the same bits; in another program or build of
// it the same seed names another schedule (trace.h records what was decided).

enum class Policy : std::uint8_t {
  in_order,  // block after block, thread after thread; stores visible at once
  reverse,   // the same, backwards
  permute,   // shuffled blocks and threads, shuffled again at every barrier; or all in step
  walk,      // any runnable thread after any point, by chance
  swarm,     // a mixture of the others that each seed draws anew
  pct,       // random priorities, lowered at `pct_depth` - 1 random points
};

enum class BlockOrder : std::uint8_t { ascending, descending, shuffled };
enum class ThreadOrder : std::uint8_t {
  ascending,
  descending,
  shuffled,     // within each block; blocks in turn
  warps,        // blocks and their warps shuffled; lanes in order
  warps_lanes,  // and the lanes
  interleaved,  // all resident threads shuffled together
};

struct Schedule {
  Policy policy = Policy::in_order;
  std::uint64_t seed = 0;

  BlockOrder blocks = BlockOrder::ascending;
  ThreadOrder threads = ThreadOrder::ascending;
  unsigned resident = 1;         // blocks that are interleaved, 1 to 8
  bool random_walk = false;      // the next thread is drawn, not the one of highest priority
  bool round_robin = false;      // the next thread is the one behind, so that all go in step
  bool reshuffle = false;        // priorities within a block change at each of its barriers
  double preempt_at_sync = 0;    // chance at an atomic, collective or fence
  double preempt_at_access = 0;  // chance at a plain access (instrumented build)
  unsigned pct_depth = 0;        // 0: off; else pct_depth - 1 changes within pct_length points
  std::uint64_t pct_length = 1000;

  bool weak = false;  // plain stores stay pending, plain loads may be old (instrumented build)
  double lag_at_fence = 0;    // chance that a thread which passes a fence lets all others go first
  double drain = 0.1;         // chance at a store or switch that a pending store becomes visible
  double eager = 0;           // chance at each queued operation that streams run one; 0: fully lazy
  std::uint64_t garbage = 0;  // chooses what uninitialised memory holds

  // A block barrier that some threads never reach because they have returned is reported as a
  // divergent one. CUDA allows it since Volta; true allows it here too.
  bool exited_threads_pass_barriers = false;

  // CPU time without any progress after which a launch is given up; 0: never.
  unsigned watchdog_ms = 700;
};

struct ScheduleOptions {
  std::optional<Policy> only;  // instead of the cycle
  bool weak = true;
  // Points passed under schedule 0, which PCT spreads its changes over (executed_points()).
  std::uint64_t points = 1000;
};

// Schedule number `index` of an exploration: 0 is in order and 1 reverse; then come, in turn,
// permute, walk, swarm and PCT of depth 3, all but PCT with weak memory. Schedules of other base
// seeds are independent. With `only`, number 0 is in order and all others are of that policy.
Schedule schedule_for(std::uint64_t index, std::uint64_t base_seed,
                      const ScheduleOptions& options = {});

// "in order", "walk, weak, seed 17".
std::string describe(const Schedule& schedule);
std::string_view name(Policy policy);
std::optional<Policy> policy_named(std::string_view name);

// What runs from now on follows `schedule`, from its beginning. Work that is still queued runs
// first under the old one. Before the first call everything is in order.
void set_schedule(const Schedule& schedule);
const Schedule& current_schedule();

// Preemption points passed by kernels since set_schedule.
std::uint64_t executed_points();

// Sets a schedule, and the earlier one (from its beginning) when it goes.
class ScheduleScope {
 public:
  explicit ScheduleScope(const Schedule& schedule) : before_(current_schedule()) {
    set_schedule(schedule);
  }
  ~ScheduleScope() { set_schedule(before_); }
  ScheduleScope(const ScheduleScope&) = delete;
  ScheduleScope& operator=(const ScheduleScope&) = delete;

 private:
  Schedule before_;
};

}  // namespace foxhunt::simt
