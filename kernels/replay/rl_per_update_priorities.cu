// SPDX-License-Identifier: MIT
#include "kernels/math/elementary.h"
#include "kernels/replay/block_max.h"
#include "kernels/replay/rl_per_update_priorities.h"

namespace foxhunt {
namespace {

constexpr int kThreads = 64;

__device__ float priority_of(float td_error, const PriorityOptions& options) {
  const float magnitude = math::add(math::absolute(td_error), options.epsilon);
  return math::exp(math::mul(options.alpha, math::log(magnitude)));
}

__device__ bool sampled_again(const int* sampled_index, int b, int batch) {
  for (int later = b + 1; later < batch; ++later) {
    if (sampled_index[later] == sampled_index[b]) return true;
  }
  return false;
}

// One block.
__global__ void __launch_bounds__(kThreads)
    update_priorities(const int* sampled_index, const float* td_error, int batch,
                      const int* ring_head, int pushed, int capacity, PriorityOptions options,
                      float* priorities) {
  const int thread = static_cast<int>(threadIdx.x);
  float largest = priorities[capacity];
  for (int b = thread; b < batch; b += kThreads) {
    const float priority = priority_of(td_error[b], options);
    largest = priority > largest ? priority : largest;
  }
  largest = replay::block_max<kThreads>(largest);
  const int first_new = (*ring_head - pushed + capacity) % capacity;
  for (int b = thread; b < batch; b += kThreads) {
    const int slot = sampled_index[b];
    const bool filled_anew = (slot - first_new + capacity) % capacity < pushed;
    if (filled_anew || sampled_again(sampled_index, b, batch)) continue;
    priorities[slot] = priority_of(td_error[b], options);
  }
  for (int i = thread; i < pushed; i += kThreads) {
    priorities[(first_new + i) % capacity] = largest;
  }
  if (thread == 0) priorities[capacity] = largest;
}

}  // namespace

void rl_per_update_priorities(const int* sampled_index, const float* td_error, int batch,
                              const int* ring_head, int pushed, int capacity,
                              const PriorityOptions& options, float* priorities,
                              cudaStream_t stream) {
  launch(update_priorities, dim3(1), dim3(kThreads), 0, stream, sampled_index, td_error, batch,
         ring_head, pushed, capacity, options, priorities);
}

}  // namespace foxhunt
