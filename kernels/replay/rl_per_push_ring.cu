// SPDX-License-Identifier: MIT
#include "kernels/replay/copy_row.h"
#include "kernels/replay/rl_per_push_ring.h"

namespace foxhunt {
namespace {

using replay::kCopyThreads;

// Block i stages transition i.
__device__ void stage(const ConstReplayRows& in, const ReplayShape& shape, int slot, int width,
                      float* staging) {
  const int i = static_cast<int>(blockIdx.x);
  float* record = staging + replay::row_offset(i, width);
  if (threadIdx.x == 0) {
    record[0] = static_cast<float>(slot);
    record[1] = static_cast<float>(in.actions[i]);
    record[2] = in.rewards[i];
    record[3] = in.dones[i];
    record[4] = in.log_pi_old[i];
    record[5] = record[6] = record[7] = 0.0f;
  }
  float* to = record + kStagingHeader;
  replay::copy_row(in.h_t + replay::row_offset(i, shape.hidden), shape.hidden, to);
  to += shape.hidden;
  replay::copy_row(in.h_tp1 + replay::row_offset(i, shape.hidden), shape.hidden, to);
  to += shape.hidden;
  replay::copy_row(in.window + replay::row_offset(i, shape.window), shape.window, to);
}

__global__ void __launch_bounds__(kCopyThreads)
    push_ring(ConstReplayRows in, ReplayShape shape, int capacity, int width, float* staging,
              const int* ring_head) {
  const int slot = (*ring_head + static_cast<int>(blockIdx.x)) % capacity;
  stage(in, shape, slot, width, staging);
}

// Wrong on purpose: a transition takes the next slot when its block gets to it, so the ring's order
// is the order of arrival.
__global__ void __launch_bounds__(kCopyThreads)
    push_ring_atomic_slot(ConstReplayRows in, ReplayShape shape, int capacity, int width,
                          float* staging, int* ring_head) {
  const int slot = threadIdx.x == 0 ? atomicAdd(ring_head, 1) % capacity : 0;
  stage(in, shape, slot, width, staging);
}

__global__ void advance_head(int* ring_head, int by, int capacity) {
  *ring_head = (*ring_head + by) % capacity;
}

}  // namespace

void rl_per_push_ring(const ConstReplayRows& transitions, int count, const ReplayShape& shape,
                      int capacity, float* staging, int* ring_head, cudaStream_t stream,
                      PushRingVariant variant) {
  if (count == 0) return;
  const dim3 grid(static_cast<unsigned>(count)), block(kCopyThreads);
  const int width = staging_width(shape);
  const bool atomic = variant == PushRingVariant::atomic_slot;
  if (atomic) {
    launch(push_ring_atomic_slot, grid, block, 0, stream, transitions, shape, capacity, width,
           staging, ring_head);
  } else {
    launch(push_ring, grid, block, 0, stream, transitions, shape, capacity, width, staging,
           ring_head);
  }
  launch(advance_head, dim3(1), dim3(1), 0, stream, ring_head, atomic ? 0 : count, capacity);
}

}  // namespace foxhunt
