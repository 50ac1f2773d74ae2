// SPDX-License-Identifier: MIT
#include "tests/kernels/simt/faulty_kernels.h"

namespace foxhunt::simt_test {
namespace {

constexpr unsigned kAll = 0xffffffffu;

constexpr int kDivergent = __LINE__ + 2;
__global__ void barrier_in_divergent_branch_kernel() {
  if (threadIdx.x < 40) __syncthreads();
}

constexpr int kDifferent = __LINE__ + 5;
__global__ void different_barriers_kernel() {
  if (threadIdx.x < 40) {
    __syncthreads();
  } else {
    __syncthreads();
  }
}

constexpr int kAfterExits = __LINE__ + 4;
__global__ void barrier_after_exits_kernel(int* out) {
  out[threadIdx.x] = 1;
  if (threadIdx.x >= 50) return;
  __syncthreads();
  out[threadIdx.x] = 2;
}

constexpr int kExited = __LINE__ + 5;
__global__ void mask_names_exited_lane_kernel() {
  const unsigned lane = threadIdx.x;
  if (lane == 3) return;
  __syncwarp(kAll & ~8u);
  __syncwarp(kAll);
}

constexpr int kLeaves = __LINE__ + 3;
__global__ void lane_leaves_meeting_kernel() {
  const unsigned lane = threadIdx.x;
  if (lane != 31) __syncwarp(kAll);
}

constexpr int kNotInMask = __LINE__ + 1;
__global__ void lane_not_in_mask_kernel() { __ballot_sync(0x0000ffffu, 1); }

constexpr int kShuffle = __LINE__ + 4;
__global__ void shuffle_outside_mask_kernel(unsigned* out) {
  const unsigned lane = threadIdx.x;
  if (lane >= 16) return;
  out[lane] = __shfl_down_sync(0x0000ffffu, lane, 8);
}

constexpr int kNeverMeet = __LINE__ + 5;
__global__ void masks_that_never_meet_kernel() {
  const unsigned lane = threadIdx.x;
  if (lane >= 2) return;
  __syncwarp(lane == 0 ? 0x3u : 0x2u);
  if (lane == 1) __syncthreads();
}

constexpr int kTrap = __LINE__ + 2;
__global__ void trap_kernel() {
  if (threadIdx.x == 5) __trap();
}

constexpr int kPlainLoad = __LINE__ + 2;
__global__ void spin_on_plain_load_kernel(const int* word) {
  while (*word == 0) {
  }
}

constexpr int kVolatileLoad = __LINE__ + 2;
__global__ void spin_on_volatile_load_kernel(const volatile int* word) {
  while (*word == 0) {
  }
}

constexpr int kAtomic = __LINE__ + 2;
__global__ void spin_on_atomic_kernel(int* word) {
  while (atomicAdd(word, 0) == 0) {
  }
}

// Nobody gives the lock back.
constexpr int kLock = __LINE__ + 2;
__global__ void spin_on_lock_kernel(int* word) {
  while (atomicCAS(word, 0, 1) != 0) {
  }
}

__global__ void races_many_times_kernel(int* word, int times) {
  if (threadIdx.x == 0) {
    *word = 1;
  } else {
    for (int i = 0; i < times; ++i) static_cast<void>(*static_cast<volatile int*>(word));
  }
}

constexpr int kRacing = __LINE__ + 5;
__global__ void spin_on_racing_load_kernel(int* word) {
  if (threadIdx.x == 0) {
    *word = 0;
  } else {
    while (*static_cast<volatile int*>(word) == 0) {
    }
  }
}

}  // namespace

int barrier_in_divergent_branch(cudaStream_t stream) {
  launch(barrier_in_divergent_branch_kernel, 2, 64, 0, stream);
  return kDivergent;
}
int different_barriers(cudaStream_t stream) {
  launch(different_barriers_kernel, 2, 64, 0, stream);
  return kDifferent;
}
int barrier_after_exits(int* out, cudaStream_t stream) {
  launch(barrier_after_exits_kernel, 1, 64, 0, stream, out);
  return kAfterExits;
}
int mask_names_exited_lane(cudaStream_t stream) {
  launch(mask_names_exited_lane_kernel, 1, 32, 0, stream);
  return kExited;
}
int lane_leaves_meeting(cudaStream_t stream) {
  launch(lane_leaves_meeting_kernel, 1, 32, 0, stream);
  return kLeaves;
}
int lane_not_in_mask(cudaStream_t stream) {
  launch(lane_not_in_mask_kernel, 1, 32, 0, stream);
  return kNotInMask;
}
int shuffle_outside_mask(unsigned* out, cudaStream_t stream) {
  launch(shuffle_outside_mask_kernel, 1, 32, 0, stream, out);
  return kShuffle;
}
int masks_that_never_meet(cudaStream_t stream) {
  launch(masks_that_never_meet_kernel, 1, 32, 0, stream);
  return kNeverMeet;
}
int trap(cudaStream_t stream) {
  launch(trap_kernel, 1, 32, 0, stream);
  return kTrap;
}

int spin_on_plain_load(const int* word, cudaStream_t stream) {
  launch(spin_on_plain_load_kernel, 2, 32, 0, stream, word);
  return kPlainLoad;
}
int spin_on_volatile_load(const int* word, cudaStream_t stream) {
  launch(spin_on_volatile_load_kernel, 2, 32, 0, stream, word);
  return kVolatileLoad;
}
int spin_on_atomic(int* word, cudaStream_t stream) {
  launch(spin_on_atomic_kernel, 2, 32, 0, stream, word);
  return kAtomic;
}
void races_many_times(int* word, int times, cudaStream_t stream) {
  launch(races_many_times_kernel, 1, 2, 0, stream, word, times);
}
int spin_on_racing_load(int* word, cudaStream_t stream) {
  launch(spin_on_racing_load_kernel, 1, 2, 0, stream, word);
  return kRacing;
}
int spin_on_lock(int* word, cudaStream_t stream) {
  launch(spin_on_lock_kernel, 2, 32, 0, stream, word);
  return kLock;
}

}  // namespace foxhunt::simt_test
