// SPDX-License-Identifier: MIT
#include "kernels/heads/dueling_compose.h"
#include "kernels/heads/tile_product.h"
#include "kernels/heads/value_atoms.h"

namespace foxhunt {
namespace heads {

// A block takes as many whole rows as fit, one thread for each action of each.
__global__ void dueling_compose_kernel(const float* q_logits, const float* v, int batch,
                                       int actions, ValueSupport support, float* q) {
  FOXHUNT_SHARED(float, expected, kThreads);
  const int t = static_cast<int>(threadIdx.x);
  const int rows = kThreads / actions, row = t / actions;
  const int b = static_cast<int>(blockIdx.x) * rows + row;
  const bool active = row < rows && b < batch;
  const int element = b * actions + t % actions;
  if (active) expected[t] = Atoms(support).mean_of_logits(q_logits + element * support.atoms);
  __syncthreads();
  if (!active) return;
  float sum = 0.0f;
  for (int a = 0; a < actions; ++a) sum = math::add(sum, expected[row * actions + a]);
  const float mean = math::div(sum, static_cast<float>(actions));
  q[element] = math::add(v[b], math::add(expected[t], -mean));
}

}  // namespace heads

void dueling_compose(const float* q_logits, const float* v, int batch, int actions,
                     ValueSupport support, float* q, cudaStream_t stream) {
  const int rows = heads::kThreads / actions;
  const int blocks = (batch + rows - 1) / rows;
  if (blocks == 0) return;
  launch(heads::dueling_compose_kernel, static_cast<unsigned>(blocks), heads::kThreads, 0, stream,
         q_logits, v, batch, actions, support, q);
}

}  // namespace foxhunt
