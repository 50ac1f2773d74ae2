// SPDX-License-Identifier: MIT
#include "kernels/heads/bellman_target.h"
#include "kernels/heads/tile_product.h"
#include "kernels/heads/value_atoms.h"

namespace foxhunt {
namespace heads {

// Where atom j lands, in units of atoms from the lowest; what lands outside goes to the nearest
// end.
__device__ inline float landing(const Atoms& atoms, float reward, float discount, int j) {
  const float value = math::fma(discount, atoms.value(j), reward);
  const float position = math::div(math::add(value, -atoms.low), atoms.gap);
  const float last = static_cast<float>(atoms.count - 1);
  return position < 0.0f ? 0.0f : position > last ? last : position;
}

// The share of a probability at `position` that atom i gets.
__device__ inline float share(float position, int i) {
  const float distance = math::absolute(math::add(position, -static_cast<float>(i)));
  return distance < 1.0f ? math::add(1.0f, -distance) : 0.0f;
}

// Atom i gathers its shares by ascending source.
__device__ void gather(const float* probability, const float* position, int atoms, float* target) {
  for (int i = static_cast<int>(threadIdx.x); i < atoms; i += kThreads) {
    float sum = 0.0f;
    for (int j = 0; j < atoms; ++j) {
      sum = math::fma(probability[j], share(position[j], i), sum);
    }
    target[i] = sum;
  }
}

// Wrong: each source atom adds its two shares by float atomics, so that a target atom rounds its
// sum in the order of arrival.
__device__ void scatter(const float* probability, const float* position, int atoms, float* target,
                        float* sums) {
  for (int i = static_cast<int>(threadIdx.x); i < atoms; i += kThreads) sums[i] = 0.0f;
  __syncthreads();
  for (int j = static_cast<int>(threadIdx.x); j < atoms; j += kThreads) {
    const int below = static_cast<int>(position[j]);
    atomicAdd(&sums[below], math::mul(probability[j], share(position[j], below)));
    if (below + 1 < atoms) {
      atomicAdd(&sums[below + 1], math::mul(probability[j], share(position[j], below + 1)));
    }
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < atoms; i += kThreads) target[i] = sums[i];
}

// One block a row.
template <BellmanTargetVariant kVariant>
__global__ void bellman_target_kernel(BellmanInputs in, int actions, ValueSupport support,
                                      float discount, float* bellman_target, float* td_error) {
  FOXHUNT_SHARED(float, means, kThreads);
  FOXHUNT_SHARED(SoftmaxRow, softmaxes, kThreads);
  FOXHUNT_DYNAMIC_SHARED(float, scratch);  // [3,Z]
  const Atoms atoms(support);
  float* probability = scratch;
  float* position = scratch + atoms.count;
  const int b = static_cast<int>(blockIdx.x), t = static_cast<int>(threadIdx.x);
  const float* target_logits = in.target_q_logits + b * actions * atoms.count;

  if (t < actions) {
    const float* logits = target_logits + t * atoms.count;
    softmaxes[t] = softmax_of(logits, atoms.count);
    means[t] = atoms.mean_of_logits(logits, softmaxes[t]);
  }
  __syncthreads();
  int best = 0;
  for (int a = 1; a < actions; ++a) best = means[a] > means[best] ? a : best;

  const float reward = in.rewards[b];
  const float kept = math::mul(discount, math::add(1.0f, -in.dones[b]));
  for (int j = t; j < atoms.count; j += kThreads) {
    probability[j] = softmaxes[best].probability(target_logits[best * atoms.count + j]);
    position[j] = landing(atoms, reward, kept, j);
  }
  if (t == kThreads - 1) {
    td_error[b] = math::add(math::fma(kept, in.target_v[b], reward), -in.v_pred[b]);
  }
  __syncthreads();
  float* target = bellman_target + b * atoms.count;
  if constexpr (kVariant == BellmanTargetVariant::scatter_atomics) {
    scatter(probability, position, atoms.count, target, scratch + 2 * atoms.count);
  } else {
    gather(probability, position, atoms.count, target);
  }
}

}  // namespace heads

void bellman_target_projection(const BellmanInputs& in, int batch, int actions,
                               ValueSupport support, float discount, float* bellman_target,
                               float* td_error, cudaStream_t stream, BellmanTargetVariant variant) {
  if (batch == 0) return;
  constexpr auto kDeterministic = BellmanTargetVariant::deterministic;
  constexpr auto kScatter = BellmanTargetVariant::scatter_atomics;
  const auto kernel = variant == kScatter ? heads::bellman_target_kernel<kScatter>
                                          : heads::bellman_target_kernel<kDeterministic>;
  const std::size_t shared = 3 * static_cast<std::size_t>(support.atoms) * sizeof(float);
  launch(kernel, static_cast<unsigned>(batch), heads::kThreads, shared, stream, in, actions,
         support, discount, bellman_target, td_error);
}

}  // namespace foxhunt
