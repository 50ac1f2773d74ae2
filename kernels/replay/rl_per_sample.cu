// SPDX-License-Identifier: MIT
#include "kernels/math/elementary.h"
#include "kernels/math/philox.h"
#include "kernels/replay/block_max.h"
#include "kernels/replay/copy_row.h"
#include "kernels/replay/rl_per_sample.h"

namespace foxhunt {
namespace {

using replay::kCopyThreads;

constexpr int kThreads = 64;

__device__ int find_leaf(const float* tree, int capacity, float target) {
  int node = 1;
  while (node < capacity) {
    const float left = tree[2 * node];
    // Rounding may have pushed the target past all that there is on the right.
    if (target < left || tree[2 * node + 1] == 0.0f) {
      node = 2 * node;
    } else {
      target = math::add(target, -left);
      node = 2 * node + 1;
    }
  }
  return node - capacity;
}

// One block. In shared_rng_counter, wrong on purpose, a draw takes its number from a counter that
// all threads share, so that the random numbers go round in order of arrival.
template <SampleVariant kVariant>
__global__ void __launch_bounds__(kThreads)
    sample_indices(const float* tree, int capacity, SampleOptions options, int batch,
                   int* sampled_index, float* is_weight, unsigned* counter) {
  const float sum = tree[1];
  const float part = math::div(sum, static_cast<float>(batch));
  const float scale = math::div(static_cast<float>(options.filled), sum);
  float largest = 0.0f;
  for (int b = static_cast<int>(threadIdx.x); b < batch; b += kThreads) {
    std::uint64_t draw = static_cast<std::uint64_t>(b);
    if (kVariant == SampleVariant::shared_rng_counter) draw = atomicAdd(counter, 1u);
    const auto words =
        math::philox(options.seed, math::RngPurpose::replay_sample, options.step, draw);
    const float target = math::mul(math::add(static_cast<float>(b), math::uniform(words.x)), part);
    const int leaf = find_leaf(tree, capacity, target);
    const float weight =
        math::exp(math::mul(-options.beta, math::log(math::mul(scale, tree[capacity + leaf]))));
    sampled_index[b] = leaf;
    is_weight[b] = weight;
    largest = weight > largest ? weight : largest;
  }
  largest = replay::block_max<kThreads>(largest);
  for (int b = static_cast<int>(threadIdx.x); b < batch; b += kThreads) {
    is_weight[b] = math::div(is_weight[b], largest);
  }
}

// Block b gathers transition b. No register is spilled to make room for a second block.
__global__ void __launch_bounds__(kCopyThreads, 1)
    gather(ConstReplayRows ring, ReplayShape shape, const int* sampled_index, ReplayRows sampled) {
  const int b = static_cast<int>(blockIdx.x), slot = sampled_index[b];
  if (threadIdx.x == 0) {
    sampled.actions[b] = ring.actions[slot];
    sampled.rewards[b] = ring.rewards[slot];
    sampled.dones[b] = ring.dones[slot];
    sampled.log_pi_old[b] = ring.log_pi_old[slot];
  }
  const auto copy = [&](const float* from, int width, float* to) {
    replay::copy_row(from + replay::row_offset(slot, width), width,
                     to + replay::row_offset(b, width));
  };
  copy(ring.h_t, shape.hidden, sampled.h_t);
  copy(ring.h_tp1, shape.hidden, sampled.h_tp1);
  copy(ring.window, shape.window, sampled.window);
}

}  // namespace

void rl_per_sample(const float* tree, int capacity, const SampleOptions& options, int batch,
                   const ConstReplayRows& ring, const ReplayShape& shape, int* sampled_index,
                   float* is_weight, const ReplayRows& sampled, unsigned* counter,
                   cudaStream_t stream, SampleVariant variant) {
  if (batch == 0) return;
  const bool shared = variant == SampleVariant::shared_rng_counter;
  if (shared) cudaMemsetAsync(counter, 0, sizeof(unsigned), stream);
  launch(shared ? sample_indices<SampleVariant::shared_rng_counter>
                : sample_indices<SampleVariant::deterministic>,
         dim3(1), dim3(kThreads), 0, stream, tree, capacity, options, batch, sampled_index,
         is_weight, counter);
  launch(gather, dim3(static_cast<unsigned>(batch)), dim3(kCopyThreads), 0, stream, ring, shape,
         sampled_index, sampled);
}

}  // namespace foxhunt
