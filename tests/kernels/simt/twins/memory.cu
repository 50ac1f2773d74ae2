// SPDX-License-Identifier: MIT
// Memory that holds what nobody wrote, or that two threads take for their own.
#include "tests/kernels/simt/twins/twin_list.h"
#include "tests/kernels/simt/twins/twin_support.h"

namespace foxhunt::twins {
namespace {

constexpr unsigned kThreads = 64;

template <bool kFixed>
__global__ void count_into_bins(const unsigned* keys, unsigned n, unsigned* counts) {
  FOXHUNT_SHARED(unsigned, bins, kThreads);
  const unsigned t = threadIdx.x;
  for (unsigned i = t; i < (kFixed ? kThreads : 48); i += 32) bins[i] = 0;  // 48 of 64
  __syncthreads();
  for (unsigned i = t; i < n; i += 32) atomicAdd(&bins[keys[i] % kThreads], 1u);
  __syncthreads();
  for (unsigned i = t; i < kThreads; i += 32) counts[i] = bins[i];
}

// Writes the n sums; the reader adds up a whole tile of them.
__global__ void square(const float* in, unsigned n, float* scratch) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) scratch[i] = in[i] * in[i];
}
__global__ void add_tile(const float* scratch, unsigned n, float* out) {
  if (threadIdx.x != 0) return;
  float sum = 0;
  for (unsigned i = 0; i < n; ++i) sum += scratch[i];
  *out = sum;
}

__global__ void add_to(const float* in, float* gradient) {
  gradient[threadIdx.x] += in[threadIdx.x];
}

// Rows of 60 elements, written by blocks of 64 threads.
template <bool kFixed>
__global__ void scale_rows_of_60(const float* in, float* out) {
  constexpr unsigned kWidth = 60;
  const unsigned t = threadIdx.x, row = blockIdx.x;
  if (kFixed && t >= kWidth) return;
  const float scale = 1.0f + static_cast<float>(row);
  out[row * kWidth + t] = scale * in[row * kWidth + t];
}

// The last thread has no right neighbour.
template <bool kFixed>
__global__ void difference_to_the_right(const float* in, unsigned n, float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float right = !kFixed || i + 1 < n ? in[i + 1] : 0.0f;
  out[i] = right - in[i];
}

// Two arrays in one piece of dynamic shared memory.
template <bool kFixed>
__global__ void two_arrays(const float* in, float* out) {
  FOXHUNT_DYNAMIC_SHARED(float, scratch);
  const unsigned t = threadIdx.x, n = blockDim.x;
  float* const a = scratch;
  float* const b = scratch + (kFixed ? n : n - 1);  // one element belongs to both
  a[t] = in[t];
  b[t] = 2.0f * in[t];
  __syncthreads();
  out[t] = a[(t + 1) % n] + b[(t + 1) % n];
}

// Three bytes between `done` and `reward` that no assignment touches.
struct Transition {
  unsigned char done;
  float reward;
};
template <bool kFixed>
__global__ void store_transitions(const float* rewards, Transition* out) {
  const unsigned i = threadIdx.x;
  if constexpr (kFixed) {
    unsigned char* const bytes = reinterpret_cast<unsigned char*>(&out[i]);
    for (unsigned k = 0; k < sizeof(Transition); ++k) bytes[k] = 0;
  }
  out[i].done = rewards[i] < 0 ? 1 : 0;
  out[i].reward = rewards[i];
}

__global__ void shift_left(const float* in, unsigned n, float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n) out[i] = in[i + 1];
}

// Divides a row by its sum, in place: all must have read before one may write.
template <bool kFixed>
__global__ void normalise_row(float* row) {
  const unsigned t = threadIdx.x;
  float sum = 0;
  for (unsigned i = 0; i < blockDim.x; ++i) sum += row[i] * row[i];
  if constexpr (kFixed) __syncthreads();
  row[t] = row[t] / sum;
}

}  // namespace

Bytes uninitialised_shared_bins(bool fixed) {
  constexpr unsigned kKeys = 200;
  Device<unsigned> keys(words(kKeys)), counts(kThreads);
  foxhunt::launch(fixed ? count_into_bins<true> : count_into_bins<false>, 1, 32, 0, nullptr,
                  keys.get(), kKeys, counts.get());
  return counts.read();
}

Bytes uninitialised_scratch_tail(bool fixed) {
  constexpr unsigned kElements = 100, kTile = 128;
  Device<float> in(values(kElements)), scratch(kTile), out(1);
  if (fixed) scratch.zero();
  foxhunt::launch(square, 2, kThreads, 0, nullptr, in.get(), kElements, scratch.get());
  foxhunt::launch(add_tile, 1, 1, 0, nullptr, scratch.get(), kTile, out.get());
  return out.read();
}

Bytes accumulator_never_cleared(bool fixed) {
  Device<float> in(values(kThreads)), gradient(kThreads);
  if (fixed) gradient.zero();
  foxhunt::launch(add_to, 1, kThreads, 0, nullptr, in.get(), gradient.get());
  return gradient.read();
}

Bytes store_into_the_next_row(bool fixed) {
  constexpr unsigned kRows = 4, kSpan = kRows * 60 + 4;
  Device<float> in(values(kSpan)), out(kSpan);
  out.zero();
  foxhunt::launch(fixed ? scale_rows_of_60<true> : scale_rows_of_60<false>, kRows, kThreads, 0,
                  nullptr, in.get(), out.get());
  return out.read();
}

Bytes load_past_the_end(bool fixed) {
  constexpr unsigned kElements = 2 * kThreads;
  Device<float> in(values(kElements)), out(kElements);
  foxhunt::launch(fixed ? difference_to_the_right<true> : difference_to_the_right<false>, 2,
                  kThreads, 0, nullptr, in.get(), kElements, out.get());
  return out.read();
}

Bytes overlapping_dynamic_shared(bool fixed) {
  Device<float> in(values(kThreads)), out(kThreads);
  foxhunt::launch(fixed ? two_arrays<true> : two_arrays<false>, 1, kThreads,
                  2 * kThreads * sizeof(float), nullptr, in.get(), out.get());
  return out.read();
}

Bytes padding_never_written(bool fixed) {
  Device<float> rewards(values(kThreads));
  Device<Transition> out(kThreads);
  foxhunt::launch(fixed ? store_transitions<true> : store_transitions<false>, 1, kThreads, 0,
                  nullptr, rewards.get(), out.get());
  return out.read();
}

Bytes shift_in_place(bool fixed) {
  constexpr unsigned kElements = 2 * kThreads;
  Device<float> in(values(kElements)), out(values(kElements));
  float* const target = fixed ? out.get() : in.get();
  foxhunt::launch(shift_left, 2, kThreads, 0, nullptr, in.get(), kElements, target);
  return fixed ? out.read() : in.read();
}

Bytes row_normalised_in_place(bool fixed) {
  Device<float> row(values(kThreads));
  foxhunt::launch(fixed ? normalise_row<true> : normalise_row<false>, 1, kThreads, 0, nullptr,
                  row.get());
  return row.read();
}

}  // namespace foxhunt::twins
