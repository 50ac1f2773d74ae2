// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/simt/dialect.h"

namespace foxhunt {

enum class TreeRebuildVariant { deterministic, float_atomics, multi_block_no_fence };

// Builds the sum tree over the priorities (T. Schaul, J. Quan, I. Antonoglou, D. Silver,
// "Prioritized Experience Replay", 2016, appendix B.2.1): tree[capacity + i] = priorities[i],
// tree[k] = tree[2k] + tree[2k + 1] for 1 <= k < capacity, and tree[0] = 0.
//
// Determinism: gpu_to_gpu. Every node is one addition of its two children; blocks build subtrees,
// and a second launch the top, so who builds a node changes nothing.
//
// priorities  device, f32 [capacity], not negative; read only
// capacity    a power of two
// tree        device, f32 [2 * capacity], overwritten
void rl_per_tree_rebuild(const float* priorities, int capacity, float* tree, cudaStream_t stream,
                         TreeRebuildVariant variant = TreeRebuildVariant::deterministic);

}  // namespace foxhunt
