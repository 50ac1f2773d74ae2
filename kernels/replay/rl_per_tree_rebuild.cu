// SPDX-License-Identifier: MIT
#include <cstddef>

#include "kernels/replay/rl_per_tree_rebuild.h"

namespace foxhunt {
namespace {

constexpr int kThreads = 64;
constexpr int kMaxLeaves = 8 * kThreads;  // of a block

// Builds the levels above kGroup neighbouring nodes, up to the one node that it returns. The nodes
// are number `first`, ... of a level of `width` nodes, and have the values `below`.
template <int kGroup>
__device__ float build_group(const float* below, int width, int first, float* tree) {
  float values[kGroup];
  for (int i = 0; i < kGroup; ++i) values[i] = below[i];
  for (int left = kGroup / 2; left >= 1; left /= 2) {
    width /= 2;
    first /= 2;
    for (int i = 0; i < left; ++i) {
      values[i] = values[2 * i] + values[2 * i + 1];
      tree[width + first + i] = values[i];
    }
  }
  return values[0];
}

// Builds everything above `mine` <= kMaxLeaves nodes, number `first`, ... of a level of `width`,
// with the values `below`, by the whole block: three levels a round, because a barrier costs more
// than they do.
__device__ void build_levels(const float* below, int mine, int width, int first, float* tree) {
  FOXHUNT_SHARED(float, roots, 2, kMaxLeaves / 8);  // of a round's groups; rounds take turns
  const int thread = static_cast<int>(threadIdx.x);
  for (int round = 0; mine > 1; ++round) {
    const int group = mine < 8 ? mine : 8;
    const int groups = mine / group;
    if (thread < groups) {
      const float* from = below + thread * group;
      const int node = first + thread * group;
      roots[round % 2][thread] = group == 8   ? build_group<8>(from, width, node, tree)
                                 : group == 4 ? build_group<4>(from, width, node, tree)
                                              : build_group<2>(from, width, node, tree);
    }
    __syncthreads();
    below = roots[round % 2];
    mine = groups;
    width /= group;
    first /= group;
  }
}

// Block b builds everything above its leaves b * leaves, ..., up to one node.
__device__ void build_subtree(const float* priorities, int capacity, int leaves, float* tree) {
  const int first = static_cast<int>(blockIdx.x) * leaves;
  for (int i = static_cast<int>(threadIdx.x); i < leaves; i += kThreads) {
    tree[capacity + first + i] = priorities[first + i];
  }
  build_levels(priorities + first, leaves, capacity, first, tree);
}

// Everything above `nodes` neighbouring nodes of one level, by one block.
__device__ void build_top(int nodes, float* tree) {
  for (; nodes > kMaxLeaves; nodes /= kMaxLeaves) {
    for (int first = 0; first < nodes; first += kMaxLeaves) {
      build_levels(tree + nodes + first, kMaxLeaves, nodes, first, tree);
    }
  }
  build_levels(tree + nodes, nodes, nodes, 0, tree);
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
