// SPDX-License-Identifier: MIT
#include "kernels/simt/policy.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "kernels/simt/decisions.h"
#include "kernels/simt/race_detector.h"
#include "kernels/simt/random.h"
#include "kernels/simt/store_buffer.h"
#include "kernels/simt/watchdog.h"

namespace foxhunt::simt {
namespace {

// A thread that never stops loses its turn after this many points, so that a spin ends when another
// thread can end it.
constexpr std::uint64_t kFairness = 20'000;

struct PolicyState {
  Random random{0};
  std::vector<std::uint64_t> changes;  // PCT's points, ascending
  std::size_t change = 0;
  std::uint32_t threads = 0;
  std::uint32_t walk = 0;     // ranks that a random walk draws from
  std::uint32_t bottom = 0;   // the next spare rank
  std::uint32_t lagging = 0;  // threads that lag behind a fence
  std::uint64_t points_before = 0;
  std::uint64_t last_turn = 0;  // the point at which a thread lost its turn for fairness
  std::uint64_t idle_turns = 0;
  bool spins = false;  // the running thread lost its turn because it polls
  bool lags = false;   // because it passed a fence
  bool ends = false;   // and lets others go first
  std::uint64_t progress_seen = 0;
};
PolicyState state;
Schedule schedule;

template <class T>
void shuffle(std::span<T> values) {
  for (std::size_t i = values.size(); i > 1; --i) {
    std::swap(values[i - 1], values[state.random.below(static_cast<std::uint32_t>(i))]);
  }
}

std::vector<std::uint32_t> shuffled(std::uint32_t n) {
  std::vector<std::uint32_t> values(n);
  std::iota(values.begin(), values.end(), 0u);
  shuffle(std::span(values));
  return values;
}

void set_next_change() {
  std::uint64_t distance = kFairness;
  const double chance = std::max(schedule.preempt_at_sync, schedule.preempt_at_access);
  if (chance >= 1) {
    distance = 1;
  } else if (chance > 0) {  // geometric
    const double draw = std::log1p(-state.random.unit()) / std::log1p(-chance);
    distance = 1 + static_cast<std::uint64_t>(std::min(draw, double{kFairness}));
  }
  next_change = std::min(steps + distance, state.last_turn + kFairness);
  if (tracing == Tracing::replaying) {
    const std::uint64_t total = state.points_before + steps;
    next_change = std::min(next_change, steps + (next_traced_preemption(total + 1) - total));
    return;
  }
  if (state.change < state.changes.size()) {
    next_change = std::min(next_change, std::max(steps + 1, state.changes[state.change]));
  }
}

void to_bottom(Thread& thread) {
  RunnableSet& runnable = engine().runnable;
  if (state.bottom == runnable.ranks()) {
    // Wrapping round would exchange the thread for one that stands there already, and those two
    // would run in turn for ever if both of them wait.
    runnable.close_gaps();
    state.bottom = runnable.ranks() - kSpareRanks;
  }
  runnable.move(thread, state.bottom++);
}

// Behind all others, and behind those that lag later: the first to lag is the last to go on, so
// that it sees least of what the others have done since.
void lag_behind(Thread& thread) {
  RunnableSet& runnable = engine().runnable;
  const std::uint32_t places = std::min(runnable.ranks(), kSpareRanks / 2);
  runnable.move(thread, runnable.ranks() - 1 - state.lagging++ % places);
}

}  // namespace

void order_blocks(Grid& grid) {
  grid.order.clear();
  const auto n = static_cast<std::uint32_t>(grid.blocks);
  if (schedule.blocks == BlockOrder::descending) {
    grid.order.resize(n);
    std::iota(grid.order.rbegin(), grid.order.rend(), 0u);
  } else if (schedule.blocks == BlockOrder::shuffled) {
    grid.order = shuffled(n);
  }
}

std::vector<std::uint32_t> order_threads(unsigned slots, unsigned width) {
  if (schedule.threads == ThreadOrder::ascending) return {};
  std::vector<std::uint32_t> ranks(std::size_t{slots} * width);
  std::iota(ranks.begin(), ranks.end(), 0u);
  switch (schedule.threads) {
    case ThreadOrder::ascending:
      break;
    case ThreadOrder::descending:
      std::reverse(ranks.begin(), ranks.end());
      break;
    case ThreadOrder::shuffled:
      for (unsigned slot = 0; slot < slots; ++slot) {
        shuffle(std::span(ranks).subspan(std::size_t{slot} * width, width));
      }
      break;
    case ThreadOrder::interleaved:
      shuffle(std::span(ranks));
      break;
    case ThreadOrder::warps:
    case ThreadOrder::warps_lanes: {
      std::uint32_t rank = 0;
      for (const std::uint32_t slot : shuffled(slots)) {
        for (const std::uint32_t warp : shuffled((width + kWarp - 1) / kWarp)) {
          const std::uint32_t lanes = std::min(kWarp, width - warp * kWarp);
          std::vector<std::uint32_t> order(lanes);
          std::iota(order.begin(), order.end(), 0u);
          if (schedule.threads == ThreadOrder::warps_lanes) shuffle(std::span(order));
          for (const std::uint32_t lane : order) {
            ranks[std::size_t{slot} * width + warp * kWarp + lane] = rank++;
          }
        }
      }
      break;
    }
  }
  return ranks;
}

void begin_policy(std::uint64_t threads) {
  state.threads = static_cast<std::uint32_t>(threads);
  state.walk = state.bottom = state.threads;
  state.changes.clear();
  state.change = 0;
  state.last_turn = 0;
  state.spins = state.lags = state.ends = false;
  state.lagging = 0;
  state.idle_turns = 0;
  for (unsigned i = 1; i < schedule.pct_depth; ++i) {
    state.changes.push_back(1 +
                            state.random.next() % std::max<std::uint64_t>(1, schedule.pct_length));
  }
  std::sort(state.changes.begin(), state.changes.end());
  set_next_change();
}

void end_policy() {
  next_change = ~std::uint64_t{0};
  state.points_before += steps;
}

namespace {

Thread* by_priority() {
  const RunnableSet& runnable = engine().runnable;
  if (schedule.round_robin && current != nullptr) {
    Thread* const next = runnable.first(current->rank + 1);
    if (next != nullptr) return next;
  }
  if (schedule.random_walk) {
    Thread* const next = runnable.first(state.random.below(state.walk));
    if (next != nullptr) return next;
  }
  return runnable.first();
}

// Decisions name threads by their places among the resident ones, + 1.
std::uint64_t number_of(const Thread& thread) {
  return static_cast<std::uint64_t>(&thread - engine().threads.data()) + 1;
}

// The first that can run, from a place on; null if there is none.
Thread* first_runnable(std::size_t place) {
  Engine& e = engine();
  for (; place < e.threads.size(); ++place) {
    if (e.runnable.contains(e.threads[place])) return &e.threads[place];
  }
  return nullptr;
}

// The thread of that number, if it can run.
Thread* runnable_numbered(std::uint64_t number) {
  Engine& e = engine();
  if (number == 0 || number > e.threads.size()) return nullptr;
  Thread& thread = e.threads[static_cast<std::size_t>(number - 1)];
  return e.runnable.contains(thread) ? &thread : nullptr;
}

// Fair without memory: whoever stands behind the running thread.
Thread* after_current() {
  Thread* const next = first_runnable(static_cast<std::size_t>(number_of(*current)));
  return next != nullptr ? next : first_runnable(0);
}

// Threads spin, perhaps for a block that is not resident: every thread had a turn, and nothing
// happened.
void help_who_waits() {
  if (progress != state.progress_seen) {
    state.progress_seen = progress;
    state.idle_turns = 0;
  } else if (++state.idle_turns > 2 * engine().live_threads) {
    state.idle_turns = 0;
    if (engine().admit_extra()) state.walk = engine().runnable.ranks();
  }
}

// Lets `next` run instead of the current thread.
void preempt(Thread* next) {
  if (next == nullptr || next == current) return;
  current->fiber = engine().running;
  engine().switch_to(*next);
}

// The policy's answer to a point where it wanted to be asked: who goes on.
Thread* preempted_by_policy(Point point, bool turn_is_over) {
  const double chance = std::max(schedule.preempt_at_sync, schedule.preempt_at_access);
  const bool changes = state.change < state.changes.size() && steps >= state.changes[state.change];
  if (changes) ++state.change;
  if (std::exchange(state.lags, false)) {
    lag_behind(*current);
    return by_priority();
  }
  if (changes || turn_is_over || chance <= 0 || std::exchange(state.ends, false)) {
    to_bottom(*current);
    return by_priority();
  }
  const double here =
      point == Point::access ? schedule.preempt_at_access : schedule.preempt_at_sync;
  if (here < chance && state.random.unit() * chance >= here) return current;
  if (!schedule.random_walk && !schedule.round_robin)
    engine().runnable.move(*current, state.random.below(state.threads));
  return by_priority();
}

}  // namespace

bool runs_in_order() { return !schedule.random_walk && engine().runnable.in_order(); }

Thread* preferred() {
  if (tracing == Tracing::off) return by_priority();
  Thread* const drawn = by_priority();  // in any case: tracing must not change what is drawn
  Thread* const first = first_runnable(0);
  if (first == nullptr) return nullptr;
  const std::uint64_t number = decide(DecisionKind::next, drawn == first ? 0 : number_of(*drawn));
  Thread* const decided = runnable_numbered(number);
  return decided != nullptr ? decided : first;
}

void on_change(Point point) {
  const RaceIgnored ignored;
  if (current == nullptr) {
    next_change = ~std::uint64_t{0};
    return;
  }
  engine().settle();
  check_watchdog();
  const std::uint64_t total = state.points_before + steps;
  const bool turn_is_over = state.spins || steps - state.last_turn >= kFairness;
  state.spins = false;
  if (turn_is_over) {
    state.last_turn = steps;
    if (weak_memory) publish_everything();
    help_who_waits();
  }
  Thread* next = current;
  if (tracing == Tracing::replaying) {
    if (const std::uint64_t number = traced_preemption(total); number != 0) {
      next = runnable_numbered(number);
    } else if (turn_is_over) {
      next = after_current();
    }
  } else {
    next = preempted_by_policy(point, turn_is_over);
    if (tracing == Tracing::recording) record_preemption(total, number_of(*next));
  }
  set_next_change();
  preempt(next);
}

void on_polling() {
  polls = 0;
  state.spins = true;
  next_change = 0;
}

void lag_at_end() {
  if (!state.random.chance(schedule.lag_at_fence / 16)) return;  // every thread has an end
  state.ends = true;
  next_change = 0;
}

void lag_at_fence() {
  if (!state.random.chance(schedule.lag_at_fence)) return;
  state.lags = true;
  next_change = 0;
}

void reshuffle_block(ResidentBlock& block) {
  RunnableSet& runnable = engine().runnable;
  for (unsigned i = block.count; i > 1; --i) {
    Thread& other = block.threads[state.random.below(i)];
    runnable.move(block.threads[i - 1], other.rank);
  }
}

bool converges_early() {
  const bool early = schedule.policy != Policy::in_order && state.random.chance(0.15);
  return decide(DecisionKind::converged, early ? 1 : 0) != 0;
}

void set_policy(const Schedule& next) {
  schedule = next;
  state = PolicyState{};
  state.random = Random(mix(next.seed, 1));
}

const Schedule& current_schedule() { return schedule; }
std::uint64_t executed_points() { return state.points_before + (current == nullptr ? 0 : steps); }

}  // namespace foxhunt::simt
