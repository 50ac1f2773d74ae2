// SPDX-License-Identifier: MIT
#include "dump/format/error.h"
#include "kernels/simt/engine.h"
#include "kernels/simt/policy.h"
#include "kernels/simt/race_detector.h"
#include "kernels/simt/store_buffer.h"

namespace foxhunt::simt {
namespace {

int outcome(BarrierKind kind, int predicates, unsigned count) {
  switch (kind) {
    case BarrierKind::plain:
      return 0;
    case BarrierKind::any:
      return predicates != 0;
    case BarrierKind::all:
      return predicates == static_cast<int>(count);
    case BarrierKind::count:
      return predicates;
  }
  return 0;
}

// All have arrived; the caller, if it is one of them, does not wait.
void release(ResidentBlock& block) {
  const auto predicates = static_cast<std::uint64_t>(block.predicates);
  block.arrived = 0;
  block.predicates = 0;
  ++block.phase;
  ++progress;
  if (weak_memory) pass_with_view(block);
  for (unsigned i = 0; i < block.count; ++i) {
    Thread& thread = block.threads[i];
    if (thread.state != kAtBarrier) continue;
    thread.result = predicates;
    engine().wake(thread);
  }
  if (current_schedule().reshuffle) reshuffle_block(block);
}

// Some threads never come to the barrier where the others wait.
bool divergent(const ResidentBlock& block) {
  return block.alive != block.count && !current_schedule().exited_threads_pass_barriers;
}

std::string divergence(const ResidentBlock& block) {
  return fmt::format(
      "{} threads of block {} wait at this barrier, and {} have returned from the "
      "kernel without it",
      block.arrived, text(block.index), block.count - block.alive);
}

}  // namespace

int barrier(BarrierKind kind, int predicate, const char* file, int line) {
  const RaceIgnored ignored;
  Engine& e = engine();
  e.settle();
  ResidentBlock& block = resident(*current);
  if (weak_memory) {
    preemption_point(Point::fence);  // others may run before its last stores are published
    publish_to_block(*current);
    arrive_with_view(*current);
  }
  if (block.arrived == 0) {
    block.file = file;
    block.line = line;
  } else if (block.line != line || block.file != file) {
    std::string said =
        fmt::format("{} of block {} arrived here, while {} threads of the block wait at {}:{}",
                    place_of(*current), text(block.index), block.arrived, block.file, block.line);
    e.fail(DiagnosticKind::barrier_divergence, file, line, std::move(said));
  }
  void* const order = race_barrier(block);
  race_release(order);
  ++block.arrived;
  block.predicates += predicate != 0;
  if (block.arrived != block.alive) {
    const unsigned count = block.alive;
    e.wait(kAtBarrier);
    race_acquire(order);
    return outcome(kind, static_cast<int>(current->result), count);
  }
  if (divergent(block)) {
    e.fail(DiagnosticKind::barrier_divergence, file, line, divergence(block));
  }
  const int result = outcome(kind, block.predicates, block.alive);
  release(block);
  race_acquire(order);
  ++steps;
  e.yield();
  return result;
}

void leave_barrier(ResidentBlock& block) {
  if (divergent(block)) {
    engine().fail(DiagnosticKind::barrier_divergence, block.file, block.line, divergence(block));
  }
  release(block);
}

}  // namespace foxhunt::simt
