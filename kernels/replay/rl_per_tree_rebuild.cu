// SPDX-License-Identifier: MIT
#include <cstddef>

#include "kernels/replay/rl_per_tree_rebuild.h"

namespace foxhunt {
namespace {

constexpr int kThreads = 64;
constexpr int kMaxLeaves = 512;  // of a block

// Block b builds everything above its leaves b * leaves, ..., up to one node.
__device__ void build_subtree(const float* priorities, int capacity, int leaves, float* tree) {
  FOXHUNT_SHARED(float, even, kMaxLeaves);  // levels take turns
  FOXHUNT_SHARED(float, odd, kMaxLeaves / 2);
  const int block = static_cast<int>(blockIdx.x), thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < leaves; i += kThreads) {
    const float priority = priorities[block * leaves + i];
    even[i] = priority;
    tree[capacity + block * leaves + i] = priority;
  }
  __syncthreads();
  float* below = even;
  float* level = odd;
  int nodes = capacity / 2;  // of the whole tree, on this level
  for (int mine = leaves / 2; mine >= 1; mine /= 2, nodes /= 2) {
    for (int i = thread; i < mine; i += kThreads) {
      const float sum = below[2 * i] + below[2 * i + 1];
      level[i] = sum;
      tree[nodes + block * mine + i] = sum;
    }
    __syncthreads();
    float* const next = below;
    below = level;
    level = next;
  }
}

// Everything above `nodes` neighbouring nodes of one level, by one block.
__device__ void build_top(int nodes, float* tree) {
  for (int width = nodes / 2; width >= 1; width /= 2) {
    for (int i = width + static_cast<int>(threadIdx.x); i < 2 * width; i += kThreads) {
      tree[i] = tree[2 * i] + tree[2 * i + 1];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) tree[0] = 0.0f;
}

__global__ void __launch_bounds__(kThreads)
    tree_subtrees(const float* priorities, int capacity, int leaves, float* tree) {
  build_subtree(priorities, capacity, leaves, tree);
}

__global__ void __launch_bounds__(kThreads) tree_top(int nodes, float* tree) {
  build_top(nodes, tree);
}

// Wrong on purpose: one launch for both. The block that finishes last builds the top, but no
// __threadfence() stands between a subtree's root and the ticket, so it may add roots as they were
// before. The ticket lies in tree[0], which is 0 before and after.
__global__ void __launch_bounds__(kThreads)
    tree_multi_block_no_fence(const float* priorities, int capacity, int leaves, float* tree) {
  FOXHUNT_SHARED(unsigned, last);
  build_subtree(priorities, capacity, leaves, tree);
  if (threadIdx.x == 0) {
    auto* ticket = reinterpret_cast<unsigned*>(tree);
    last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1 ? 1u : 0u;
  }
  __syncthreads();
  if (last != 0u) build_top(static_cast<int>(gridDim.x), tree);
}

// Wrong on purpose: every leaf adds its priority to all its ancestors, in order of arrival.
__global__ void __launch_bounds__(kThreads)
    tree_float_atomics(const float* priorities, int capacity, float* tree) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (i >= capacity) return;
  const float priority = priorities[i];
  tree[capacity + i] = priority;
  for (int node = (capacity + i) / 2; node >= 1; node /= 2) atomicAdd(&tree[node], priority);
}

}  // namespace

void rl_per_tree_rebuild(const float* priorities, int capacity, float* tree, cudaStream_t stream,
                         TreeRebuildVariant variant) {
  int leaves = capacity / 16;  // enough blocks for small trees, enough work for large ones
  if (leaves < 1) leaves = 1;
  if (leaves > kMaxLeaves) leaves = kMaxLeaves;
  const int blocks = capacity / leaves;
  const dim3 grid(static_cast<unsigned>(blocks)), block(kThreads);
  switch (variant) {
    case TreeRebuildVariant::deterministic:
      launch(tree_subtrees, grid, block, 0, stream, priorities, capacity, leaves, tree);
      launch(tree_top, dim3(1), block, 0, stream, blocks, tree);
      break;
    case TreeRebuildVariant::float_atomics:
      cudaMemsetAsync(tree, 0, static_cast<std::size_t>(capacity) * sizeof(float), stream);
      launch(tree_float_atomics, dim3(static_cast<unsigned>((capacity + kThreads - 1) / kThreads)),
             block, 0, stream, priorities, capacity, tree);
      break;
    case TreeRebuildVariant::multi_block_no_fence:
      cudaMemsetAsync(tree, 0, sizeof(float), stream);
      launch(tree_multi_block_no_fence, grid, block, 0, stream, priorities, capacity, leaves, tree);
      break;
  }
}

}  // namespace foxhunt
