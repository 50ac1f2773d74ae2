// SPDX-License-Identifier: MIT
// Data handed from one thread to another by a flag, a ticket or a lock, with a fence missing.
#include "tests/kernels/simt/twins/twin_list.h"
#include "tests/kernels/simt/twins/twin_support.h"

namespace foxhunt::twins {
namespace {

constexpr unsigned kThreads = 64;
constexpr unsigned kBlocks = 6;

enum class Fence { none, block, device };

template <Fence kFence>
__device__ void fence() {
  if constexpr (kFence == Fence::block) __threadfence_block();
  if constexpr (kFence == Fence::device) __threadfence();
}

// The sum of a block's 64 elements, in thread 0.
__device__ float block_sum(float value, float* s) {
  const unsigned t = threadIdx.x;
  s[t] = value;
  __syncthreads();
  for (unsigned d = kThreads / 2; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  return s[0];
}

// The last block to arrive adds up what all of them left.
template <Fence kWriter, Fence kReader>
__global__ void sum_by_last_block(const float* in, float* partial, unsigned* ticket, float* out) {
  FOXHUNT_SHARED(float, s, kThreads);
  FOXHUNT_SHARED(bool, last);
  const unsigned t = threadIdx.x;
  const float sum = block_sum(in[blockIdx.x * kThreads + t], s);
  if (t == 0) {
    partial[blockIdx.x] = sum;
    fence<kWriter>();
    last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || t != 0) return;
  fence<kReader>();
  float total = 0;
  for (unsigned i = 0; i < gridDim.x; ++i) total += partial[i];
  *out = total;
}

template <Fence kWriter, Fence kReader>
Bytes last_block() {
  Device<float> in(values(kBlocks * kThreads)), partial(kBlocks), out(1);
  Device<unsigned> ticket(1);
  partial.zero();
  ticket.zero();
  foxhunt::launch(sum_by_last_block<kWriter, kReader>, kBlocks, kThreads, 0, nullptr, in.get(),
                  partial.get(), ticket.get(), out.get());
  return out.read();
}

// Blocks in the order of their tickets: each adds its own sum to its predecessor's.
template <Fence kWriter, Fence kReader>
__global__ void sum_by_chain(const float* in, float* prefix, unsigned* flags, unsigned* ticket) {
  FOXHUNT_SHARED(float, s, kThreads);
  FOXHUNT_SHARED(unsigned, place);
  const unsigned t = threadIdx.x;
  if (t == 0) place = atomicAdd(ticket, 1u);
  __syncthreads();
  const unsigned b = place;  // the predecessor has started, so that waiting for it ends
  const float sum = block_sum(in[b * kThreads + t], s);
  if (t != 0) return;
  float before = 0;
  if (b > 0) {
    while (atomicAdd(&flags[b - 1], 0u) == 0) {
    }
    fence<kReader>();
    before = prefix[b - 1];
  }
  prefix[b] = before + sum;
  fence<kWriter>();
  atomicExch(&flags[b], 1u);
}

template <Fence kWriter, Fence kReader>
Bytes chain() {
  Device<float> in(values(kBlocks * kThreads)), prefix(kBlocks);
  Device<unsigned> flags(kBlocks), ticket(1);
  prefix.zero();
  flags.zero();
  ticket.zero();
  foxhunt::launch(sum_by_chain<kWriter, kReader>, kBlocks, kThreads, 0, nullptr, in.get(),
                  prefix.get(), flags.get(), ticket.get());
  return prefix.read();
}

// Warp 0 produces and goes on with something else, warp 1 consumes, with a flag in shared memory
// between them.
template <bool kFlagFirst, Fence kFence>
__global__ void hand_to_other_warp(const float* in, float* out) {
  FOXHUNT_SHARED(float, data, 32);
  FOXHUNT_SHARED(unsigned, ready);
  const unsigned t = threadIdx.x, lane = t % 32;
  if (t == 0) ready = 0;
  if (t < 32) data[lane] = 0;
  __syncthreads();
  if (t < 32) {
    if constexpr (kFlagFirst) atomicAdd(&ready, 1u);
    data[lane] = 2.0f * in[lane];
    fence<kFence>();
    if constexpr (!kFlagFirst) atomicAdd(&ready, 1u);
    for (unsigned i = 1; i < 8; ++i) out[i * 32 + lane] = in[lane] * static_cast<float>(i);
  } else {
    while (atomicAdd(&ready, 0u) < 32) {
    }
    __threadfence_block();
    out[lane] = data[31 - lane];
  }
}

template <bool kFlagFirst, Fence kFence>
Bytes between_warps() {
  Device<float> in(values(32)), out(8 * 32);
  foxhunt::launch(hand_to_other_warp<kFlagFirst, kFence>, 1, 64, 0, nullptr, in.get(), out.get());
  return out.read();
}

// A lock around a count that needs no order among the threads.
template <Fence kAcquire, Fence kRelease>
__global__ void count_under_lock(const unsigned* in, unsigned* lock, unsigned* sum) {
  const unsigned value = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (bool done = false; !done;) {
    if (atomicCAS(lock, 0u, 1u) == 0) {
      fence<kAcquire>();
      *sum += value;
      fence<kRelease>();
      atomicExch(lock, 0u);
      done = true;
    }
  }
}

template <Fence kAcquire, Fence kRelease>
Bytes locked() {
  Device<unsigned> in(words(kBlocks * 4)), lock(1), sum(1);
  lock.zero();
  sum.zero();
  foxhunt::launch(count_under_lock<kAcquire, kRelease>, kBlocks, 4, 0, nullptr, in.get(),
                  lock.get(), sum.get());
  return sum.read();
}

}  // namespace

Bytes last_block_without_writer_fence(bool fixed) {
  return fixed ? last_block<Fence::device, Fence::device>()
               : last_block<Fence::none, Fence::device>();
}

Bytes last_block_without_reader_fence(bool fixed) {
  return fixed ? last_block<Fence::device, Fence::device>()
               : last_block<Fence::device, Fence::none>();
}

Bytes last_block_with_block_fence(bool fixed) {
  return fixed ? last_block<Fence::device, Fence::device>()
               : last_block<Fence::block, Fence::device>();
}

Bytes flag_published_without_fence(bool fixed) {
  return fixed ? chain<Fence::device, Fence::device>() : chain<Fence::none, Fence::device>();
}

Bytes flag_read_without_fence(bool fixed) {
  return fixed ? chain<Fence::device, Fence::device>() : chain<Fence::device, Fence::none>();
}

Bytes message_between_warps_without_fence(bool fixed) {
  return fixed ? between_warps<false, Fence::block>() : between_warps<false, Fence::none>();
}

Bytes flag_set_before_data(bool fixed) {
  return fixed ? between_warps<false, Fence::block>() : between_warps<true, Fence::block>();
}

Bytes lock_released_without_fence(bool fixed) {
  return fixed ? locked<Fence::device, Fence::device>() : locked<Fence::device, Fence::none>();
}

Bytes lock_taken_without_fence(bool fixed) {
  return fixed ? locked<Fence::device, Fence::device>() : locked<Fence::none, Fence::device>();
}

}  // namespace foxhunt::twins
