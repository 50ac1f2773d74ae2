// SPDX-License-Identifier: MIT
// Barriers that are missing, each in another place.
#include "tests/kernels/simt/twins/twin_list.h"
#include "tests/kernels/simt/twins/twin_support.h"

namespace foxhunt::twins {
namespace {

constexpr unsigned kThreads = 64;

template <bool kFixed>
__global__ void turn_round(const float* in, float* out) {
  FOXHUNT_SHARED(float, tile, kThreads);
  const unsigned t = threadIdx.x, base = blockIdx.x * kThreads;
  tile[t] = in[base + t];
  if constexpr (kFixed) __syncthreads();
  out[base + t] = tile[kThreads - 1 - t];
}

template <bool kFixed>
__global__ void sum_tiles(const float* in, unsigned tiles, float* out) {
  FOXHUNT_SHARED(float, tile, kThreads);
  const unsigned t = threadIdx.x;
  float sum = 0;
  for (unsigned i = 0; i < tiles; ++i) {
    tile[t] = in[i * kThreads + t];
    __syncthreads();
    sum += tile[(t + 1) % kThreads] * tile[(t + 33) % kThreads];
    if constexpr (kFixed) __syncthreads();
  }
  out[t] = sum;
}

template <bool kFixed>
__global__ void tree_without_a_level(const float* in, float* out) {
  FOXHUNT_SHARED(float, s, 2 * kThreads);
  const unsigned t = threadIdx.x;
  s[t] = in[blockIdx.x * 2 * kThreads + t];
  __syncthreads();
  for (unsigned d = kThreads; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    if (kFixed || d != 2) __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

template <bool kFixed>
__global__ void prefetch_without_barrier(const float* in, unsigned tiles, float* out) {
  FOXHUNT_SHARED(float, half, 2, kThreads);
  const unsigned t = threadIdx.x;
  float sum = 0;
  half[0][t] = in[t];
  __syncthreads();
  for (unsigned i = 0; i < tiles; ++i) {
    if (i + 1 < tiles) half[(i + 1) % 2][t] = in[(i + 1) * kThreads + t];
    sum += half[i % 2][kThreads - 1 - t];
    if constexpr (kFixed) __syncthreads();
  }
  out[t] = sum;
}

template <bool kFixed>
__global__ void prefetch_two_ahead(const float* in, unsigned tiles, float* out) {
  constexpr unsigned kStages = kFixed ? 3 : 2;  // two ahead overwrite what is read now
  FOXHUNT_SHARED(float, stage, 3, kThreads);
  const unsigned t = threadIdx.x;
  float sum = 0;
  stage[0][t] = in[t];
  stage[1][t] = in[kThreads + t];
  __syncthreads();
  for (unsigned i = 0; i < tiles; ++i) {
    if (i + 2 < tiles) stage[(i + 2) % kStages][t] = in[(i + 2) * kThreads + t];
    sum += stage[i % kStages][kThreads - 1 - t];
    __syncthreads();
  }
  out[t] = sum;
}

template <bool kFixed>
__global__ void scale_rows(const float* in, const float* scales, unsigned rows, float* out) {
  FOXHUNT_SHARED(float, scale);
  const unsigned t = threadIdx.x;
  for (unsigned row = 0; row < rows; ++row) {
    if (t == 0) scale = scales[row];
    __syncthreads();
    out[row * kThreads + t] = scale * in[row * kThreads + t];
    if constexpr (kFixed) __syncthreads();
  }
}

template <bool kFixed>
__global__ void turn_round_by_warps(const float* in, float* out) {
  FOXHUNT_SHARED(float, tile, kThreads);
  const unsigned t = threadIdx.x, base = blockIdx.x * kThreads;
  tile[t] = in[base + t];
  if constexpr (kFixed) {
    __syncthreads();
  } else {
    __syncwarp();
  }
  out[base + t] = tile[kThreads - 1 - t];
}

template <bool kFixed>
__global__ void scan_in_place(const unsigned* in, unsigned* out) {
  FOXHUNT_SHARED(unsigned, s, kThreads);
  const unsigned t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  for (unsigned d = 1; d < kThreads; d *= 2) {
    const unsigned left = t >= d ? s[t - d] : 0;
    if constexpr (kFixed) __syncthreads();
    s[t] += left;
    __syncthreads();
  }
  out[t] = s[t];
}

__global__ void smooth(const float* in, unsigned n, float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0 || i + 1 >= n) return;
  out[i] = 0.25f * in[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1];
}

template <bool kFixed>
__global__ void exchange_by_scratch(const float* in, float* scratch, float* out) {
  const unsigned t = threadIdx.x, base = blockIdx.x * kThreads;
  scratch[base + t] = 2.0f * in[base + t];
  if constexpr (kFixed) __syncthreads();
  out[base + t] = scratch[base + (t + 17) % kThreads] + in[base + t];
}

__global__ void chain_blocks(const float* in, float* out) {  // reads what an earlier block wrote
  const unsigned t = threadIdx.x, b = blockIdx.x;
  const float before = b == 0 ? 0.0f : out[(b - 1) * blockDim.x + t];
  out[b * blockDim.x + t] = before + in[b * blockDim.x + t];
}
__global__ void chain_in_one_block(const float* in, unsigned rows, float* out) {
  const unsigned t = threadIdx.x;
  float sum = 0;
  for (unsigned row = 0; row < rows; ++row) {
    sum += in[row * blockDim.x + t];
    out[row * blockDim.x + t] = sum;
  }
}

// Launches a kernel that reads blocks × 64 elements and writes as many.
Bytes element_wise(void (*kernel)(const float*, float*), unsigned blocks) {
  Device<float> in(values(blocks * kThreads)), out(blocks * kThreads);
  foxhunt::launch(kernel, blocks, kThreads, 0, nullptr, in.get(), out.get());
  return out.read();
}

// Launches a kernel that folds a few tiles of 64 elements into one.
Bytes fold_tiles(void (*kernel)(const float*, unsigned, float*)) {
  constexpr unsigned kTiles = 6;
  Device<float> in(values(kTiles * kThreads)), out(kThreads);
  foxhunt::launch(kernel, 1, kThreads, 0, nullptr, in.get(), kTiles, out.get());
  return out.read();
}

}  // namespace

Bytes barrier_missing_after_load(bool fixed) {
  return element_wise(fixed ? turn_round<true> : turn_round<false>, 2);
}

Bytes barrier_missing_before_reuse(bool fixed) {
  return fold_tiles(fixed ? sum_tiles<true> : sum_tiles<false>);
}

Bytes barrier_missing_in_a_loop(bool fixed) {
  constexpr unsigned kBlocks = 4;
  Device<float> in(values(kBlocks * 2 * kThreads)), out(kBlocks);
  foxhunt::launch(fixed ? tree_without_a_level<true> : tree_without_a_level<false>, kBlocks,
                  2 * kThreads, 0, nullptr, in.get(), out.get());
  return out.read();
}

Bytes barrier_missing_at_double_buffer(bool fixed) {
  return fold_tiles(fixed ? prefetch_without_barrier<true> : prefetch_without_barrier<false>);
}

Bytes double_buffer_off_by_one(bool fixed) {
  return fold_tiles(fixed ? prefetch_two_ahead<true> : prefetch_two_ahead<false>);
}

Bytes barrier_missing_after_broadcast(bool fixed) {
  constexpr unsigned kRows = 4;
  Device<float> in(values(kRows * kThreads)), scales(values(kRows, 2)), out(kRows * kThreads);
  foxhunt::launch(fixed ? scale_rows<true> : scale_rows<false>, 1, kThreads, 0, nullptr, in.get(),
                  scales.get(), kRows, out.get());
  return out.read();
}

Bytes syncwarp_where_syncthreads(bool fixed) {
  return element_wise(fixed ? turn_round_by_warps<true> : turn_round_by_warps<false>, 2);
}

Bytes scan_step_in_place(bool fixed) {
  Device<unsigned> in(words(kThreads)), out(kThreads);
  foxhunt::launch(fixed ? scan_in_place<true> : scan_in_place<false>, 1, kThreads, 0, nullptr,
                  in.get(), out.get());
  return out.read();
}

Bytes stencil_in_place(bool fixed) {
  constexpr unsigned kElements = 128;
  Device<float> in(values(kElements)), out(values(kElements));
  float* const target = fixed ? out.get() : in.get();
  foxhunt::launch(smooth, 2, kThreads, 0, nullptr, in.get(), kElements, target);
  return fixed ? out.read() : in.read();
}

Bytes barrier_missing_at_global_scratch(bool fixed) {
  constexpr unsigned kBlocks = 2;
  Device<float> in(values(kBlocks * kThreads)), scratch(kBlocks * kThreads);
  Device<float> out(kBlocks * kThreads);
  foxhunt::launch(fixed ? exchange_by_scratch<true> : exchange_by_scratch<false>, kBlocks, kThreads,
                  0, nullptr, in.get(), scratch.get(), out.get());
  return out.read();
}

Bytes blocks_assumed_in_order(bool fixed) {
  constexpr unsigned kRows = 4;
  Device<float> in(values(kRows * kThreads)), out(kRows * kThreads);
  if (fixed) {
    foxhunt::launch(chain_in_one_block, 1, kThreads, 0, nullptr, in.get(), kRows, out.get());
  } else {
    foxhunt::launch(chain_blocks, kRows, kThreads, 0, nullptr, in.get(), out.get());
  }
  return out.read();
}

}  // namespace foxhunt::twins
