// SPDX-License-Identifier: MIT
#include "kernels/heads/act_sample.h"
#include "kernels/heads/softmax_row.h"
#include "kernels/heads/tile_product.h"
#include "kernels/math/philox.h"

namespace foxhunt {
namespace heads {

__global__ void act_sample_kernel(const float* logits, const std::uint64_t* rng_counters, int envs,
                                  int action_count, int* actions, float* log_pi) {
  const int env = thread_number();
  if (env >= envs) return;
  const float* row = logits + env * action_count;
  const SoftmaxRow softmax = softmax_of(row, action_count);
  const math::PhiloxWords draw = math::philox(rng_counters[0], math::RngPurpose::action_sample,
                                              rng_counters[1], static_cast<std::uint64_t>(env));
  const float threshold = math::mul(math::uniform(draw.x), softmax.sum);
  // The last action takes what rounding leaves over.
  int action = 0;
  float below = softmax.weight(row[0]);
  while (action + 1 < action_count && below <= threshold) {
    below = math::add(below, softmax.weight(row[++action]));
  }
  actions[env] = action;
  log_pi[env] = softmax.log_probability(row[action]);
}

}  // namespace heads

void act_sample(const float* logits, const std::uint64_t* rng_counters, int envs, int action_count,
                int* actions, float* log_pi, cudaStream_t stream) {
  if (envs == 0) return;
  launch(heads::act_sample_kernel, heads::blocks_for(envs), heads::kThreads, 0, stream, logits,
         rng_counters, envs, action_count, actions, log_pi);
}

}  // namespace foxhunt
