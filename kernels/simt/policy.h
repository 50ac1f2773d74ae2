// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/simt/engine.h"

namespace foxhunt::simt {

// Ranks below every thread's, for those that must let all others go first.
constexpr std::uint32_t kSpareRanks = 64;

// Fills grid.order, or leaves it empty for ascending.
void order_blocks(Grid& grid);
// The rank of each thread of `slots` blocks with `width` threads each; empty for ascending.
std::vector<std::uint32_t> order_threads(unsigned slots, unsigned width);

// From now on; also forgets all draws.
void set_policy(const Schedule& schedule);

// Around each launch.
void begin_policy(std::uint64_t threads);
void end_policy();

// Whether whoever runs now is the first by rank, and the one behind it comes next.
bool runs_in_order();

// Who runs now that the running thread stopped; null if none can.
Thread* preferred();

// The running thread passes a fence, and may have to let all others go first.
void lag_at_fence();
// The running thread has nothing left to do but to let others see its last stores; it may lag as
// well.
void lag_at_end();

// New priorities among a block's threads.
void reshuffle_block(ResidentBlock& block);

// Whether __activemask calls those who have arrived converged, without waiting for more.
bool converges_early();

}  // namespace foxhunt::simt
