// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/simt/dialect.h"

namespace foxhunt {

// Moves the target network towards the online one by Polyak averaging (T. Lillicrap et al.,
// "Continuous control with deep reinforcement learning", 2016): target += tau (params - target).
//
// Determinism: gpu_to_gpu. Every element has one writer and depends on its own inputs only.
//
// params  device, f32 [count]; read only
// target  device, f32 [count], updated in place
void target_update(const float* params, float* target, int count, float tau, cudaStream_t stream);

}  // namespace foxhunt
