// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "kernels/simt/dialect.h"

namespace foxhunt {

// Draws an action for each environment from the softmax of its logits, by inversion: the first
// action at which the running sum of probabilities, by ascending action, exceeds a uniform draw.
//
// logits        device, f32 [envs,A], row-major
// rng_counters  device, u64: {seed, step}
// actions       device, i32 [envs]; overwritten
// log_pi        device, f32 [envs]; overwritten by the log probability of the action drawn
// stream        the work is queued here; the call returns without waiting for it
//
// Determinism: gpu_to_gpu. Environment e uses the Philox draw number e of (seed, action_sample,
// step), whichever thread asks for it, and one thread adds its row in order.
void act_sample(const float* logits, const std::uint64_t* rng_counters, int envs, int action_count,
                int* actions, float* log_pi, cudaStream_t stream);

}  // namespace foxhunt
