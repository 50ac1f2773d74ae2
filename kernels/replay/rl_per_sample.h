// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "kernels/replay/replay_rows.h"
#include "kernels/simt/dialect.h"

namespace foxhunt {

enum class SampleVariant { deterministic, shared_rng_counter };

// Draws `batch` transitions in proportion to their priorities, one from each of `batch` equal parts
// of their sum (Schaul et al., "Prioritized Experience Replay", 2016, section 3.3), and gathers
// them:
//   target_b = (b + u_b) * sum / batch, u_b = uniform(philox(seed, replay_sample, step, b).x)
//   sampled_index[b] = the leaf that holds target_b, found from the root down
//   is_weight[b] = (filled * P(b))^-beta / the largest of the batch, P(b) = priority / sum
//
// Determinism: gpu_to_gpu. A draw depends on its number only, the descent on nothing but the tree,
// and a maximum has no order.
//
// tree           device, f32 [2 * capacity], from rl_per_tree_rebuild, with a positive root
// filled         slots of the ring that hold a transition
// ring           device, `capacity` rows; read only
// sampled_index  device, i32 [batch], overwritten
// is_weight      device, f32 [batch], overwritten
// sampled        device, `batch` rows, overwritten
// counter        device, u32 [1], scratch for the variant; null otherwise
struct SampleOptions {
  std::uint64_t seed, step;
  float beta;
  int filled;
};
void rl_per_sample(const float* tree, int capacity, const SampleOptions& options, int batch,
                   const ConstReplayRows& ring, const ReplayShape& shape, int* sampled_index,
                   float* is_weight, const ReplayRows& sampled, unsigned* counter,
                   cudaStream_t stream, SampleVariant variant = SampleVariant::deterministic);

}  // namespace foxhunt
