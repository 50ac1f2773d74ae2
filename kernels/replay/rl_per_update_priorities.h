// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/simt/dialect.h"

namespace foxhunt {

// Gives the sampled transitions the priority of their new error, and those pushed since the largest
// priority of all (Schaul et al., "Prioritized Experience Replay", 2016, algorithm 1):
//   p_b = (|td_error[b]| + epsilon)^alpha
//   priorities[capacity] = max(priorities[capacity], all p_b)       the largest so far
//   priorities[sampled_index[b]] = p_b, except where slot sampled_index[b] has been filled anew;
//     of a transition sampled more than once the last one of the batch counts
//   priorities[slot] = priorities[capacity] for the `pushed` slots before *ring_head
//
// Determinism: gpu_to_gpu. Each slot has one writer, which the batch's order decides, and a maximum
// has none. A td_error that is NaN makes its slot's priority NaN, but not the maximum.
//
// sampled_index  device, i32 [batch]; read only
// td_error       device, f32 [batch]; read only
// ring_head      device, i32 [1], after the push; read only
// pushed         <= capacity
// priorities     device, f32 [capacity + 1], updated; before the first call all 0 but the last, 1
struct PriorityOptions {
  float alpha, epsilon;
};
void rl_per_update_priorities(const int* sampled_index, const float* td_error, int batch,
                              const int* ring_head, int pushed, int capacity,
                              const PriorityOptions& options, float* priorities,
                              cudaStream_t stream);

}  // namespace foxhunt
