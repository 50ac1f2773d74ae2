// SPDX-License-Identifier: MIT
#include <bit>

#include "dump/format/error.h"
#include "kernels/simt/arena.h"
#include "kernels/simt/engine.h"
#include "kernels/simt/policy.h"
#include "kernels/simt/race_detector.h"
#include "kernels/simt/store_buffer.h"

namespace foxhunt::simt {
namespace {

Thread& lane_of(ResidentBlock& block, unsigned warp, unsigned lane) {
  return block.threads[warp * kWarp + lane];
}

template <class Each>
void for_lanes(std::uint32_t lanes, const Each& each) {
  for (; lanes != 0; lanes &= lanes - 1) each(static_cast<unsigned>(std::countr_zero(lanes)));
}

// Gives every lane of a complete meeting its result.
void exchange(ResidentBlock& block, unsigned warp, const WarpMeeting& met) {
  std::uint32_t ballot = 0;
  bool all_equal = true;
  const std::uint64_t first =
      lane_of(block, warp, static_cast<unsigned>(std::countr_zero(met.arrived))).value;
  for_lanes(met.arrived, [&](unsigned lane) {
    const Thread& thread = lane_of(block, warp, lane);
    if (thread.value != 0) ballot |= 1u << lane;
    all_equal &= thread.value == first;
  });
  for_lanes(met.arrived, [&](unsigned lane) {
    Thread& thread = lane_of(block, warp, lane);
    switch (met.op) {
      case WarpOp::sync:
        break;
      case WarpOp::shuffle:
        // From outside the mask comes garbage.
        thread.result = (met.arrived >> thread.argument & 1) != 0
                            ? lane_of(block, warp, static_cast<unsigned>(thread.argument)).value
                            : garbage_word(next_garbage_seed());
        break;
      case WarpOp::ballot:
        thread.result = ballot;
        break;
      case WarpOp::match_any:
        thread.result = 0;
        for_lanes(met.arrived, [&](unsigned other) {
          if (lane_of(block, warp, other).value == thread.value) thread.result |= 1u << other;
        });
        break;
      case WarpOp::match_all:
        thread.result = all_equal ? met.arrived : 0;
        break;
    }
  });
}

// The meeting is complete: everyone goes on. The caller, if it takes part, is not asleep.
void finish_meeting(ResidentBlock& block, unsigned w, unsigned which) {
  Warp& warp = block.warps[w];
  const WarpMeeting met = warp.meeting[which];
  warp.meeting[which] = warp.meeting[--warp.meetings];
  ++progress;
  if (weak_memory && met.op == WarpOp::sync) share_view(block, w, met.arrived);
  exchange(block, w, met);
  for_lanes(met.arrived, [&](unsigned lane) {
    Thread& thread = lane_of(block, w, lane);
    if (thread.state == kInWarp) engine().wake(thread);
  });
}

std::uint32_t existing_lanes(const ResidentBlock& block, unsigned warp) {
  const unsigned lanes = std::min(kWarp, block.count - warp * kWarp);
  return ~0u >> (kWarp - lanes);
}

}  // namespace

std::uint64_t warp_collective(std::uint32_t mask, WarpOp op, std::uint64_t value, int argument,
                              const char* file, int line) {
  const RaceIgnored ignored;
  Engine& e = engine();
  e.settle();
  Thread& me = *current;
  ResidentBlock& block = resident(me);
  Warp& warp = block.warps[me.warp];
  const std::uint32_t mine = 1u << me.lane;
  if ((mask & mine) == 0) {
    std::string said =
        fmt::format("{} is lane {}, which the mask {:08x} leaves out", place_of(me), me.lane, mask);
    e.fail(DiagnosticKind::lane_not_in_mask, file, line, std::move(said));
  }
  mask &= existing_lanes(block, me.warp);
  if ((mask & ~warp.alive) != 0) {
    std::string said =
        fmt::format("the mask of {} names lanes {:08x}, which have returned from the kernel",
                    place_of(me), mask & ~warp.alive);
    e.fail(DiagnosticKind::exited_lane, file, line, std::move(said));
  }
  if (op == WarpOp::shuffle && (mask >> argument & 1) == 0) {
    report({DiagnosticKind::shuffle_source, false, running_kernel(), file, line,
            fmt::format("{} shuffles from lane {}, which the mask {:08x} leaves out", place_of(me),
                        argument, mask)});
  }
  if (weak_memory && op == WarpOp::sync) publish_to_block(me);
  me.value = value;
  me.argument = argument;
  unsigned i = 0;
  while (i < warp.meetings && (warp.meeting[i].mask != mask || warp.meeting[i].op != op)) ++i;
  if (i == warp.meetings) {
    warp.meeting[warp.meetings++] = {mask, 0, op, file, line, warp.began++};
  }
  void* const order =
      op == WarpOp::sync ? race_meeting(block, me.warp, warp.meeting[i].number) : nullptr;
  if (order != nullptr) race_release(order);
  warp.meeting[i].arrived |= mine;
  if (warp.meeting[i].arrived != mask) {
    e.wait(kInWarp);
    if (order != nullptr) race_acquire(order);
    return current->result;
  }
  finish_meeting(block, me.warp, i);
  if (order != nullptr) race_acquire(order);
  const std::uint64_t result = me.result;
  preemption_point(Point::collective);
  return result;
}

void leave_warp(Thread& thread) {
  ResidentBlock& block = resident(thread);
  const Warp& warp = block.warps[thread.warp];
  for (unsigned i = 0; i < warp.meetings; ++i) {
    const WarpMeeting& meeting = warp.meeting[i];
    if ((meeting.mask >> thread.lane & 1) == 0) continue;
    std::string said = fmt::format(
        "lanes {:08x} of warp {} of block {} wait here for lane {}, which "
        "has returned from the kernel",
        meeting.arrived, thread.warp, text(block.index), thread.lane);
    engine().fail(DiagnosticKind::exited_lane, meeting.file, meeting.line, std::move(said));
  }
}

std::uint32_t active_mask() {
  const RaceIgnored ignored;
  engine().settle();
  Thread& me = *current;
  ResidentBlock& block = resident(me);
  Warp& warp = block.warps[me.warp];
  warp.converging |= 1u << me.lane;
  if (warp.converging == warp.alive || converges_early()) {
    const std::uint32_t lanes = warp.converging;
    warp.converging = 0;
    for_lanes(lanes, [&](unsigned lane) {
      Thread& thread = lane_of(block, me.warp, lane);
      thread.result = lanes;
      if (thread.state == kConverging) engine().wake(thread);
    });
  } else {
    engine().wait(kConverging);
  }
  return static_cast<std::uint32_t>(current->result);
}

bool release_converging() {
  for (ResidentBlock& block : engine().blocks) {
    if (!block.live) continue;
    for (unsigned w = 0; w * kWarp < block.count; ++w) {
      Warp& warp = block.warps[w];
      if (warp.converging == 0) continue;
      const std::uint32_t lanes = warp.converging;
      warp.converging = 0;
      for_lanes(lanes, [&](unsigned lane) {
        Thread& thread = lane_of(block, w, lane);
        thread.result = lanes;
        engine().wake(thread);
      });
      return true;
    }
  }
  return false;
}

}  // namespace foxhunt::simt
