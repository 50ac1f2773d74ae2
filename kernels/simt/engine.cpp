// SPDX-License-Identifier: MIT
#include "kernels/simt/engine.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "dump/format/error.h"
#include "kernels/simt/arena.h"
#include "kernels/simt/decisions.h"
#include "kernels/simt/policy.h"
#include "kernels/simt/race_detector.h"
#include "kernels/simt/store_buffer.h"
#include "kernels/simt/symbols.h"
#include "kernels/simt/watchdog.h"

namespace foxhunt::simt {

Thread* current = nullptr;
std::uint64_t steps = 0;
std::uint64_t next_change = ~std::uint64_t{0};
std::uint64_t progress = 0;
std::uint32_t polls = 0;
Thread* batch_end = nullptr;
bool weak_memory = false;

namespace {
#if defined(FOXHUNT_SIMT_INSTRUMENTED_RUNTIME)
constexpr bool kInstrumented = true;
#else
constexpr bool kInstrumented = false;
#endif

// Divisions are slow, and most grids have one dimension.
uint3 index_of(std::uint64_t n, const dim3& grid) {
  if (grid.y == 1 && grid.z == 1) return {static_cast<unsigned>(n), 0, 0};
  return {static_cast<unsigned>(n % grid.x), static_cast<unsigned>(n / grid.x % grid.y),
          static_cast<unsigned>(n / grid.x / grid.y)};
}

}  // namespace

// Every fiber runs this: one thread after another, until one of them blocks.
void thread_loop() {
  Engine& e = engine();
  arrive_on(*e.running);
  race_ignore_begin();
  for (;;) {
    Thread& thread = *current;
    const Invocation& kernel = *resident(thread).owner->kernel;
    race_ignore_end();
    e.begin_batch(thread);
    kernel.run(&kernel);
    race_ignore_begin();
    e.finish(*current);
    Thread* const next = e.pick();
    if (next != nullptr && next->fiber == nullptr) {
      if (weak_memory) switch_view(next);
      current = next;
      continue;
    }
    if (next == nullptr && e.live_threads != 0) {
      e.report_deadlock();
      e.given_up = true;
      e.error = cudaErrorLaunchFailure;
    }
    Fiber& self = *e.running;
    e.pool.give(&self);
    race_ignore_end();
    if (next != nullptr) {
      current = nullptr;  // also where the next thread is the first of this slot's next block
      e.switch_to(*next);
    } else {
      if (weak_memory) switch_view(nullptr);
      current = nullptr;
      e.running = &e.host;
      switch_fiber(self, e.host);
    }
  }
}

Engine::Engine() : pool(thread_loop) {}

Engine the_engine;

bool Engine::run(std::vector<Grid*> side_by_side) {
  grids = std::move(side_by_side);
  std::uint64_t total = 0;
  width = 1;
  for (Grid* grid : grids) {
    width = std::max(width, grid->threads());
    grid->blocks = std::uint64_t{grid->grid.x} * grid->grid.y * grid->grid.z;
    total += grid->blocks;
    order_blocks(*grid);
    if (tracing != Tracing::off) {
      grid->remaining.resize(static_cast<std::size_t>(grid->blocks));
      std::iota(grid->remaining.begin(), grid->remaining.end(), 0u);
    }
  }
  std::uint64_t wanted = 1 + decide(DecisionKind::resident, current_schedule().resident - 1);
  wanted = std::clamp<std::uint64_t>(wanted, grids.size(), kMaxResident);
  const auto slots = static_cast<unsigned>(std::min(wanted, total));
  place_threads(slots);
  live_threads = 0;
  given_up = false;
  error = cudaSuccess;
  steps = 0;
  polls = 0;
  batch_end = nullptr;
  weak_memory = kInstrumented && current_schedule().weak;
  if (weak_memory) begin_weak_memory();
  race_begin_launch();
  begin_policy(threads.size());
  watch_launch(current_schedule().watchdog_ms);
  for (unsigned slot = 0; slot < slots; ++slot) admit(slot);
  if (live_threads != 0) {
    Thread* const first = pick();
    running = &host;
    switch_to(*first);
  }
  stop_watching();
  race_end_launch();
  if (weak_memory) end_weak_memory();
  weak_memory = false;
  end_policy();
  if (given_up) pool.reset();
  return !given_up;
}

void Engine::place_threads(unsigned slots) {
  threads.reserve(std::size_t{kMaxResident / 4} * kMaxBlockThreads);
  threads.resize(std::size_t{slots} * width);
  if (blocks.size() < kMaxResident) blocks.resize(kMaxResident);
  const auto count = static_cast<std::uint32_t>(threads.size());
  runnable.reset(count + kSpareRanks);
  const std::vector<std::uint32_t> ranks = order_threads(slots, width);
  for (std::uint32_t i = 0; i < count; ++i) {
    threads[i].state = kNothing;
    threads[i].fiber = nullptr;
    runnable.place(threads[i], ranks.empty() ? i : ranks[i]);
  }
  if (ranks.empty()) runnable.set_in_order();
  for (unsigned slot = 0; slot < slots; ++slot) prepare_slot(slot);
}

void Engine::prepare_slot(unsigned slot) {
  ResidentBlock& block = blocks[slot];
  block.threads = &threads[std::size_t{slot} * width];
  block.slot = slot;
  block.owner = nullptr;
  block.live = false;
  give_shared_memory(block, slot);
}

bool Engine::admit_extra() {
  const auto slot = static_cast<unsigned>(threads.size() / width);
  // Whoever points at threads and blocks must go on pointing at them.
  if (slot >= kMaxResident || threads.capacity() < threads.size() + width) return false;
  if (std::none_of(grids.begin(), grids.end(),
                   [](const Grid* grid) { return grid->admitted < grid->blocks; })) {
    return false;
  }
  const std::uint32_t first = runnable.grow(width);
  threads.resize(threads.size() + width);
  for (std::uint32_t i = 0; i < width; ++i) {
    Thread& thread = threads[std::size_t{slot} * width + i];
    thread.state = kNothing;
    thread.fiber = nullptr;
    runnable.place(thread, first + i);
  }
  prepare_slot(slot);
  return admit(slot);
}

std::uint64_t Engine::next_block(Grid& grid) {
  const auto n = static_cast<std::size_t>(grid.admitted++);
  const std::uint32_t block = grid.order.empty() ? static_cast<std::uint32_t>(n) : grid.order[n];
  if (tracing == Tracing::off) return block;
  auto& remaining = grid.remaining;
  const auto drawn = std::lower_bound(remaining.begin(), remaining.end(), block);
  std::uint64_t place =
      decide(DecisionKind::block, static_cast<std::uint64_t>(drawn - remaining.begin()));
  if (place >= remaining.size()) place = 0;
  const auto chosen = remaining.begin() + static_cast<std::ptrdiff_t>(place);
  const std::uint32_t result = *chosen;
  remaining.erase(chosen);
  return result;
}

// Whose blocks come next in a slot; null if all are admitted.
Grid* Engine::grid_for(unsigned slot) const {
  const auto count = static_cast<unsigned>(grids.size());
  for (unsigned i = 0; i < count; ++i) {
    Grid* const candidate = grids[count == 1 ? 0 : (slot + i) % count];
    if (candidate->admitted < candidate->blocks) return candidate;
  }
  return nullptr;
}

// Makes the next block resident in a slot; false if there is none.
bool Engine::admit(unsigned slot) {
  Grid* const grid = grid_for(slot);
  if (grid == nullptr) return false;
  ResidentBlock& block = blocks[slot];
  block.index = index_of(next_block(*grid), grid->grid);
  block.epoch = ++epoch;
  block.live = true;
  block.count = block.alive = grid->threads();
  block.arrived = 0;
  block.predicates = 0;
  block.phase = 0;
  const unsigned warps = (block.count + kWarp - 1) / kWarp;
  for (unsigned w = 0; w < warps; ++w) {
    const unsigned lanes = std::min(kWarp, block.count - w * kWarp);
    block.warps[w].alive = ~0u >> (kWarp - lanes);
    block.warps[w].converging = 0;
    block.warps[w].meetings = 0;
    block.warps[w].began = 0;
  }
  if (block.owner != grid) {
    block.owner = grid;
    block.block_dim = grid->block;
    block.grid_dim = grid->grid;
    uint3 index{0, 0, 0};
    for (unsigned i = 0; i < block.count; ++i) {
      Thread& thread = block.threads[i];
      thread.index = index;
      thread.linear = i;
      thread.block = &block;
      thread.warp = static_cast<std::uint16_t>(i / kWarp);
      thread.lane = static_cast<std::uint8_t>(i % kWarp);
      if (++index.x == grid->block.x) {
        index.x = 0;
        if (++index.y == grid->block.y) {
          index.y = 0;
          ++index.z;
        }
      }
    }
  }
  const std::size_t shared_used = kDetectsRaces ? shared_bytes_used(block) : 0;
  fill_dynamic_shared(block, grid->shared_bytes);
  if (runnable.in_order()) {
    runnable.insert_from(block.threads[0].rank, block.count);
  } else {
    for (unsigned i = 0; i < block.count; ++i) runnable.insert(block.threads[i]);
  }
  live_threads += block.count;
  if (kDetectsRaces) race_begin_block(block, shared_used);
  if (weak_memory) begin_block_memory(block);
  return true;
}

// Only where it changes nothing: by priority those come next that can run and stand behind the
// first, because nobody wakes in between; and only as far as they have not begun.
void Engine::begin_batch(Thread& first) {
  if (kDetectsRaces || weak_memory || tracing != Tracing::off || !runs_in_order()) return;
  const ResidentBlock& block = resident(first);
  batch = &first;
  batch_end = std::min(&first + runnable.run_from(first.rank), block.threads + block.count);
}

void Engine::settle_batch() {
  batch_end = nullptr;
  Thread& first = *batch;
  const auto n = static_cast<unsigned>(current - &first);
  if (n == 0) return;
  first.fiber = nullptr;  // the others never had one
  ResidentBlock& block = resident(first);
  runnable.remove_run(first.rank, n);
  live_threads -= n;
  progress += n;
  block.alive -= n;
  for (unsigned done = 0; done < n;) {
    const unsigned at = first.linear + done, lane = at % kWarp;
    const unsigned lanes = std::min(kWarp - lane, n - done);
    Warp& warp = block.warps[at / kWarp];
    warp.alive &= ~(~0u >> (kWarp - lanes) << lane);
    if (warp.meetings != 0) {
      for (unsigned i = 0; i < lanes; ++i) leave_warp(batch[done + i]);
    }
    done += lanes;
  }
}

void Engine::finish(Thread& thread) {
  settle();
  ResidentBlock& block = resident(thread);
  if (weak_memory) {  // others may run before its last stores are published
    lag_at_end();
    preemption_point(Point::fence);
    publish_to_block(thread);
  }
  ++steps;
  ++progress;
  if (kDetectsRaces) race_end_thread(thread);
  thread.fiber = nullptr;
  runnable.remove(thread);
  --live_threads;
  Warp& warp = block.warps[thread.warp];
  warp.alive &= ~(1u << thread.lane);
  if (warp.meetings != 0) leave_warp(thread);
  --block.alive;
  if (block.alive == 0) {
    block.live = false;
    if (weak_memory) end_block_memory(block);
    ++block.owner->finished;
    admit(block.slot);
  } else if (block.arrived == block.alive) {
    leave_barrier(block);
  }
}

Thread* Engine::pick() {
  do {
    if (Thread* const next = preferred()) return next;
  } while (release_converging());
  return nullptr;
}

void Engine::switch_to(Thread& next) {
  if (&next == current) return;
  if (weak_memory) switch_view(&next);
  if (next.fiber == nullptr) next.fiber = pool.take();
  Fiber& from = *running;
  running = next.fiber;
  current = &next;
  switch_fiber(from, *running);
}

void Engine::wait(State state) {
  settle();
  Thread& me = *current;
  me.state = state;
  me.fiber = running;
  runnable.remove(me);
  Thread* const next = pick();
  if (next == nullptr) {
    report_deadlock();
    give_up();
  }
  switch_to(*next);
}

void Engine::yield() {
  Thread* const next = pick();
  if (next == nullptr || next == current) return;
  current->fiber = running;
  switch_to(*next);
}

void Engine::give_up() {
  given_up = true;
  batch_end = nullptr;
  if (error == cudaSuccess) error = cudaErrorLaunchFailure;
  if (weak_memory) switch_view(nullptr);
  while (running->race_ignored != 0) race_ignore_end();
  current = nullptr;
  Fiber& from = *running;
  running = &host;
  switch_fiber(from, host);
  std::abort();  // nobody comes back here
}

void Engine::fail(DiagnosticKind kind, const char* file, int line, std::string text) {
  report({kind, true, running_kernel(), file == nullptr ? "" : file, line, std::move(text)});
  give_up();
}

void Engine::report_deadlock() {
  for (const ResidentBlock& block : blocks) {
    if (!block.live) continue;
    if (block.arrived != 0) {
      report(
          {DiagnosticKind::deadlock, true, "", block.file, block.line,
           fmt::format("{} of {} threads of block {} wait at this barrier, and no thread can run",
                       block.arrived, block.count, text(block.index))});
      return;
    }
    for (unsigned w = 0; w * kWarp < block.count; ++w) {
      const Warp& warp = block.warps[w];
      if (warp.meetings == 0) continue;
      const WarpMeeting& meeting = warp.meeting[0];
      report({DiagnosticKind::deadlock, true, running_kernel(), meeting.file, meeting.line,
              fmt::format("lanes {:08x} of warp {} of block {} wait here for the others of mask "
                          "{:08x}, and no thread can run",
                          meeting.arrived, w, text(block.index), meeting.mask)});
      return;
    }
  }
  report({DiagnosticKind::deadlock, true, running_kernel(), "", 0, "no thread can run"});
}

std::string text(uint3 index) { return fmt::format("({},{},{})", index.x, index.y, index.z); }

std::string running_kernel() {
  if (current != nullptr) return function_name(resident(*current).owner->kernel->entry);
  const auto& grids = engine().grids;
  return grids.size() == 1 ? function_name(grids[0]->kernel->entry) : "";
}

std::string place_of(const Thread& thread) {
  return fmt::format("thread {} of block {}", text(thread.index), text(thread.block->index));
}

}  // namespace foxhunt::simt
