// SPDX-License-Identifier: MIT
// Lanes taken to run in step, and masks that do not name the lanes that matter.
#include "tests/kernels/simt/twins/twin_list.h"
#include "tests/kernels/simt/twins/twin_support.h"

namespace foxhunt::twins {
namespace {

constexpr unsigned kLanes = 32;
constexpr unsigned kAll = 0xffffffffu;

template <bool kFixed>
__global__ void swap_neighbours(const float* in, float* out) {
  FOXHUNT_SHARED(float, s, 2 * kLanes);
  const unsigned t = threadIdx.x;
  s[t] = in[t];
  if constexpr (kFixed) __syncwarp();
  out[t] = s[t ^ 1];
}

template <bool kFixed>
__global__ void unrolled_warp_sum(const float* in, float* out) {
  FOXHUNT_SHARED(float, s, 2 * kLanes);
  const unsigned t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  if (t >= kLanes) return;
  s[t] += s[t + 32];
  __syncwarp();
  for (unsigned d = 16; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    if constexpr (kFixed) __syncwarp();
  }
  if (t == 0) *out = s[0];
}

template <bool kFixed>
__global__ void exchange_halves(const float* in, float* out) {
  FOXHUNT_SHARED(float, s, kLanes);
  const unsigned t = threadIdx.x;
  s[t] = in[t];
  // Each half waits for itself alone, and reads the other.
  __syncwarp(kFixed ? kAll : t < 16 ? 0x0000ffffu : 0xffff0000u);
  out[t] = s[t ^ 16];
}

// The lower half adds up itself alone, but its shuffles reach beyond it.
template <bool kFixed>
__global__ void half_warp_sum(const float* in, float* out) {
  const unsigned t = threadIdx.x;
  if (t >= 16) return;
  float v = in[t];
  for (unsigned d = 8; d > 0; d /= 2) v += __shfl_down_sync(0x0000ffffu, v, d, kFixed ? 16 : 32);
  out[t] = v;
}

template <bool kFixed>
__global__ void sum_of_the_active(const float* in, float* out) {
  const unsigned t = threadIdx.x;
  const unsigned mask = kFixed ? kAll : __activemask();
  float v = in[t];
  for (unsigned d = 16; d > 0; d /= 2) {
    const float other = __shfl_xor_sync(mask, v, static_cast<int>(d));
    // A lane that is not in the mask adds nothing.
    if ((mask >> (t ^ d) & 1u) != 0) v += other;
  }
  out[t] = v;
}

// One atomic for the lanes that came together, and a slot each.
__global__ void push_by_the_active(const float* in, unsigned* head, float* out) {
  const unsigned t = threadIdx.x;
  if (in[t] <= 0) return;
  const unsigned mask = __activemask();
  const int leader = __ffs(static_cast<int>(mask)) - 1;
  unsigned base = 0;
  if (static_cast<int>(t) == leader) {
    base = atomicAdd(head, static_cast<unsigned>(__popc(mask)));
  }
  base = __shfl_sync(mask, base, leader);
  out[base + static_cast<unsigned>(__popc(mask & ((1u << t) - 1)))] = in[t];
}
__global__ void push_by_ballot(const float* in, unsigned* head, float* out) {
  const unsigned t = threadIdx.x;
  const bool wanted = in[t] > 0;
  const unsigned mask = __ballot_sync(kAll, wanted);
  const unsigned base = *head;
  __syncwarp();
  if (wanted) out[base + static_cast<unsigned>(__popc(mask & ((1u << t) - 1)))] = in[t];
  if (t == 0) *head = base + static_cast<unsigned>(__popc(mask));
}

// Lane 0 finds the warp's place, but the others read it as if it had told them.
template <bool kFixed>
__global__ void leader_tells_by_memory(const float* in, unsigned* place, float* out) {
  const unsigned t = threadIdx.x, warp = t / kLanes, lane = t % kLanes;
  if (lane == 0) place[warp] = 31 - warp;
  unsigned first = 0;
  if constexpr (kFixed) {
    if (lane == 0) first = place[warp];
    first = __shfl_sync(kAll, first, 0);
  } else {
    first = place[warp];
  }
  out[warp * kLanes + (first + lane) % kLanes] = in[t];
}

}  // namespace

Bytes syncwarp_missing_at_exchange(bool fixed) {
  Device<float> in(values(2 * kLanes)), out(2 * kLanes);
  foxhunt::launch(fixed ? swap_neighbours<true> : swap_neighbours<false>, 1, 2 * kLanes, 0, nullptr,
                  in.get(), out.get());
  return out.read();
}

Bytes syncwarp_missing_in_unrolled_tree(bool fixed) {
  Device<float> in(values(2 * kLanes)), out(1);
  foxhunt::launch(fixed ? unrolled_warp_sum<true> : unrolled_warp_sum<false>, 1, 2 * kLanes, 0,
                  nullptr, in.get(), out.get());
  return out.read();
}

Bytes syncwarp_of_half_the_lanes(bool fixed) {
  Device<float> in(values(kLanes)), out(kLanes);
  foxhunt::launch(fixed ? exchange_halves<true> : exchange_halves<false>, 1, kLanes, 0, nullptr,
                  in.get(), out.get());
  return out.read();
}

Bytes shuffle_from_outside_the_mask(bool fixed) {
  Device<float> in(values(kLanes)), out(kLanes);
  out.zero();
  foxhunt::launch(fixed ? half_warp_sum<true> : half_warp_sum<false>, 1, kLanes, 0, nullptr,
                  in.get(), out.get());
  return out.read();
}

Bytes activemask_as_the_whole_warp(bool fixed) {
  Device<float> in(values(kLanes)), out(kLanes);
  foxhunt::launch(fixed ? sum_of_the_active<true> : sum_of_the_active<false>, 1, kLanes, 0, nullptr,
                  in.get(), out.get());
  return out.read();
}

Bytes activemask_aggregated_push(bool fixed) {
  Device<float> in(values(kLanes)), out(kLanes);
  Device<unsigned> head(1);
  head.zero();
  out.zero();
  foxhunt::launch(fixed ? push_by_ballot : push_by_the_active, 1, kLanes, 0, nullptr, in.get(),
                  head.get(), out.get());
  return out.read();
}

Bytes leader_lane_tells_by_memory(bool fixed) {
  constexpr unsigned kWarps = 2;
  Device<float> in(values(kWarps * kLanes)), out(kWarps * kLanes);
  Device<unsigned> place(kWarps);
  place.zero();
  foxhunt::launch(fixed ? leader_tells_by_memory<true> : leader_tells_by_memory<false>, 1,
                  kWarps * kLanes, 0, nullptr, in.get(), place.get(), out.get());
  return out.read();
}

}  // namespace foxhunt::twins
