// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/replay/replay_rows.h"
#include "kernels/simt/dialect.h"

namespace foxhunt {

enum class PushRingVariant { deterministic, atomic_slot };

// Writes `count` new transitions into the staging buffer, each with the slot of the ring that it
// will fill, and moves the ring's head on: transition i gets slot (head + i) mod capacity.
//
// Determinism: gpu_to_gpu. A transition's slot depends on its number only.
//
// transitions  device, `count` rows (count <= capacity < 2^24); read only
// staging      device, f32, [count, staging_width(shape)], overwritten
// ring_head    device, i32 [1], in [0, capacity) before and after: the slot to fill next
void rl_per_push_ring(const ConstReplayRows& transitions, int count, const ReplayShape& shape,
                      int capacity, float* staging, int* ring_head, cudaStream_t stream,
                      PushRingVariant variant = PushRingVariant::deterministic);

}  // namespace foxhunt
