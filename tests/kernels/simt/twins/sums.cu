// SPDX-License-Identifier: MIT
// Sums whose order nobody chose, and updates that others overwrite.
#include "tests/kernels/simt/twins/twin_list.h"
#include "tests/kernels/simt/twins/twin_support.h"

namespace foxhunt::twins {
namespace {

constexpr unsigned kThreads = 64;

template <class T>
__global__ void sum_by_atomics(const float* in, unsigned n, T* out) {
  const unsigned stride = gridDim.x * blockDim.x;
  T sum = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    sum += static_cast<T>(in[i]) / T(3);
  }
  atomicAdd(out, sum);
}
template <class T>
__global__ void sum_by_tree(const float* in, unsigned n, T* out) {
  FOXHUNT_SHARED(T, s, kThreads);
  const unsigned t = threadIdx.x;
  T sum = 0;
  for (unsigned i = t; i < n; i += kThreads) sum += static_cast<T>(in[i]) / T(3);
  s[t] = sum;
  __syncthreads();
  for (unsigned d = kThreads / 2; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) *out = s[0];
}

template <class T>
Bytes sum_of_all(bool fixed) {
  constexpr unsigned kElements = 512;
  Device<float> in(values(kElements));
  Device<T> out(1);
  out.zero();
  if (fixed) {
    foxhunt::launch(sum_by_tree<T>, 1, kThreads, 0, nullptr, in.get(), kElements, out.get());
  } else {
    foxhunt::launch(sum_by_atomics<T>, 4, kThreads, 0, nullptr, in.get(), kElements, out.get());
  }
  return out.read();
}

// A heap of sums: node k holds the sum of nodes 2k and 2k + 1; the leaves are n … 2n - 1.
__global__ void sum_tree_by_atomics(const float* in, unsigned n, float* tree) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned node = n + i; node > 0; node /= 2) atomicAdd(&tree[node], in[i]);
}
__global__ void sum_tree_by_levels(const float* in, unsigned n, float* tree) {
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) tree[n + i] = in[i];
  for (unsigned width = n / 2; width > 0; width /= 2) {
    __syncthreads();
    for (unsigned i = threadIdx.x; i < width; i += blockDim.x) {
      const unsigned node = width + i;
      tree[node] = tree[2 * node] + tree[2 * node + 1];
    }
  }
}

// C = A·B in two halves of the inner dimension that meet in C.
template <bool kFixed>
__global__ void split_product(const float* a, const float* b, unsigned n, unsigned splits, float* c,
                              float* partial) {
  const unsigned col = threadIdx.x, row = blockIdx.x, split = blockIdx.y;
  const unsigned depth = n / splits;
  float sum = 0;
  for (unsigned k = split * depth; k < (split + 1) * depth; ++k)
    sum += a[row * n + k] * b[k * n + col];
  if constexpr (kFixed) {
    partial[(split * n + row) * n + col] = sum;
  } else {
    atomicAdd(&c[row * n + col], sum);
  }
}
__global__ void add_splits(const float* partial, unsigned n, unsigned splits, float* c) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (unsigned split = 0; split < splits; ++split) sum += partial[split * n * n + i];
  c[i] = sum;
}

template <bool kFixed>
__global__ void count_keys(const unsigned* keys, unsigned n, unsigned* counts) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if constexpr (kFixed) {
    atomicAdd(&counts[keys[i]], 1u);
  } else {
    counts[keys[i]] += 1;
  }
}

template <bool kFixed>
__global__ void count_in_shared(const unsigned* keys, unsigned n, unsigned* counts) {
  FOXHUNT_SHARED(unsigned, bins, 32);
  const unsigned t = threadIdx.x;
  if (t < 32) bins[t] = 0;
  __syncthreads();
  for (unsigned i = t; i < n; i += blockDim.x) {
    if constexpr (kFixed) {
      atomicAdd(&bins[keys[i] % 32], 1u);
    } else {
      ++bins[keys[i] % 32];
    }
  }
  __syncthreads();
  if (t < 32) counts[t] = bins[t];
}

// A gradient that several row blocks write: each must add to what the one before it left.
template <bool kFixed>
__global__ void accumulate(const float* in, unsigned rows, float* gradient) {
  const unsigned col = threadIdx.x, part = kFixed ? 0 : blockIdx.x, parts = kFixed ? 1 : gridDim.x;
  if (kFixed && blockIdx.x > 0) return;
  float sum = 0;
  for (unsigned row = part; row < rows; row += parts) sum += in[row * blockDim.x + col];
  gradient[col] += sum;
}

// Two tries for one maximum: the second thread's compare-and-swap fails, and it does not try again.
template <bool kFixed>
__global__ void largest(const unsigned* in, unsigned* out) {
  const unsigned value = in[blockIdx.x * blockDim.x + threadIdx.x];
  unsigned seen = atomicAdd(out, 0u);
  while (seen < value) {
    const unsigned found = atomicCAS(out, seen, value);
    if (!kFixed || found == seen) return;
    seen = found;
  }
}

// Blocks fetch rows as they get round to it, and each sums up what it fetched.
template <bool kFixed>
__global__ void sum_fetched_rows(const float* in, unsigned rows, unsigned* next, float* partial) {
  FOXHUNT_SHARED(unsigned, row);
  const unsigned t = threadIdx.x;
  float sum = 0;
  for (unsigned turn = blockIdx.x;; turn += gridDim.x) {
    if (t == 0) row = kFixed ? turn : atomicAdd(next, 1u);
    __syncthreads();
    const unsigned mine = row;
    __syncthreads();
    if (mine >= rows) break;
    sum += in[mine * kThreads + t];
  }
  partial[blockIdx.x * kThreads + t] = sum;
}

}  // namespace

Bytes float_atomic_sum(bool fixed) { return sum_of_all<float>(fixed); }

Bytes double_atomic_sum(bool fixed) { return sum_of_all<double>(fixed); }

Bytes sum_tree_by_float_atomics(bool fixed) {
  constexpr unsigned kLeaves = 128;
  Device<float> in(values(kLeaves)), tree(2 * kLeaves);
  tree.zero();
  if (fixed) {
    foxhunt::launch(sum_tree_by_levels, 1, kThreads, 0, nullptr, in.get(), kLeaves, tree.get());
  } else {
    foxhunt::launch(sum_tree_by_atomics, 2, kThreads, 0, nullptr, in.get(), kLeaves, tree.get());
  }
  return tree.read();
}

Bytes split_k_by_atomics(bool fixed) {
  constexpr unsigned n = 16, kSplits = 4;
  Device<float> a(values(n * n)), b(values(n * n, 2)), c(n * n), partial(kSplits * n * n);
  c.zero();
  foxhunt::launch(fixed ? split_product<true> : split_product<false>, dim3(n, kSplits), n, 0,
                  nullptr, a.get(), b.get(), n, kSplits, c.get(), partial.get());
  if (fixed) {
    foxhunt::launch(add_splits, n, n, 0, nullptr, partial.get(), n, kSplits, c.get());
  }
  return c.read();
}

Bytes lost_update(bool fixed) {
  constexpr unsigned kKeys = 256;
  std::vector<unsigned> unlike(kKeys);
  for (unsigned i = 0; i < kKeys; ++i) unlike[i] = i == 60 ? 190 : i;  // two threads meet
  Device<unsigned> keys(unlike), counts(kKeys);
  counts.zero();
  foxhunt::launch(fixed ? count_keys<true> : count_keys<false>, 4, kThreads, 0, nullptr, keys.get(),
                  kKeys, counts.get());
  return counts.read();
}

Bytes lost_update_in_shared_histogram(bool fixed) {
  constexpr unsigned kKeys = 128;
  Device<unsigned> keys(words(kKeys)), counts(32);
  foxhunt::launch(fixed ? count_in_shared<true> : count_in_shared<false>, 1, kThreads, 0, nullptr,
                  keys.get(), kKeys, counts.get());
  return counts.read();
}

Bytes accumulate_by_several_writers(bool fixed) {
  constexpr unsigned kRows = 8;
  Device<float> in(values(kRows * kThreads)), gradient(kThreads);
  gradient.zero();
  foxhunt::launch(fixed ? accumulate<true> : accumulate<false>, 4, kThreads, 0, nullptr, in.get(),
                  kRows, gradient.get());
  return gradient.read();
}

Bytes compare_and_swap_not_repeated(bool fixed) {
  Device<unsigned> in(words(2 * kThreads)), out(1);
  out.zero();
  foxhunt::launch(fixed ? largest<true> : largest<false>, 2, kThreads, 0, nullptr, in.get(),
                  out.get());
  return out.read();
}

Bytes partial_sums_of_fetched_work(bool fixed) {
  constexpr unsigned kRows = 12, kBlocks = 3;
  Device<float> in(values(kRows * kThreads)), partial(kBlocks * kThreads);
  Device<unsigned> next(1);
  next.zero();
  foxhunt::launch(fixed ? sum_fetched_rows<true> : sum_fetched_rows<false>, kBlocks, kThreads, 0,
                  nullptr, in.get(), kRows, next.get(), partial.get());
  return partial.read();
}

}  // namespace foxhunt::twins
