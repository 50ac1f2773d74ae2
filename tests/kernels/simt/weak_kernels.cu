// SPDX-License-Identifier: MIT
#include "tests/kernels/simt/weak_kernels.h"

namespace foxhunt::simt_test {
namespace {

constexpr Lines kHandOver{__LINE__ + 4, __LINE__ + 11};
template <bool kWriterFence, bool kReaderFence>
__global__ void hand_over_kernel(int* data, int* flag, int* out) {
  if (blockIdx.x == 0) {
    *data = 1;
    if constexpr (kWriterFence) __threadfence();
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0) {
    }
    if constexpr (kReaderFence) __threadfence();
    *out = *data;
  }
}

constexpr Lines kExchange{__LINE__ + 5, __LINE__ + 8};
template <Between kWhat>
__global__ void exchange_kernel(int* scratch, int* out) {
  const unsigned t = threadIdx.x;
  int* const mine = scratch + blockIdx.x * blockDim.x;
  mine[t] = static_cast<int>(t) + 1;
  if constexpr (kWhat == Between::barrier) __syncthreads();
  if constexpr (kWhat == Between::warp_barrier) __syncwarp();
  out[blockIdx.x * blockDim.x + t] = mine[t ^ 1];
}

__global__ void own_stores_kernel(unsigned char* memory, int* out) {
  const unsigned t = threadIdx.x;
  unsigned char* const mine = memory + 32 * t;
  auto* const words = reinterpret_cast<unsigned*>(mine);
  int wrong = 0;
  for (unsigned k = 0; k < 8; ++k) {
    *reinterpret_cast<uint4*>(mine) = make_uint4(k, k + 1, k + 2, k + 3);
    mine[5] = static_cast<unsigned char>(k + 9);
    words[4] = 100 + k;
    *reinterpret_cast<unsigned long long*>(mine + 8) = k;
    if (k % 3 == 0) __syncwarp();
    wrong += words[0] != k;
    wrong += words[1] != (k + 1 + ((k + 9) << 8));
    wrong += words[2] != k || words[3] != 0;
    wrong += words[4] != 100 + k;
    if (k % 2 == 0) __threadfence_block();
    wrong += static_cast<int>(atomicAdd(&words[4], 1u)) != static_cast<int>(100 + k);
    wrong += words[4] != 101 + k;
  }
  out[t] = wrong;
}

__global__ void pairs_kernel(unsigned long long* pair, int* out) {
  if (blockIdx.x == 0) {
    for (unsigned long long k = 1; k < 100; ++k) *pair = k << 32 | k;
  } else {
    int unequal = 0;
    for (int i = 0; i < 100; ++i) {
      const unsigned long long seen = *static_cast<volatile unsigned long long*>(pair);
      unequal += static_cast<unsigned>(seen) != static_cast<unsigned>(seen >> 32);
    }
    *out = unequal;
  }
}

// Out of a compiler's sight, which would load once and remember.
__device__ __attribute__((noinline)) int plain_load(const int* word) { return *word; }

__global__ void counts_kernel(int* word, int* out) {
  if (blockIdx.x == 0) {
    for (int k = 1; k < 200; ++k) *static_cast<volatile int*>(word) = k;
  } else {
    int last = 0, back = 0;
    for (int i = 0; i < 200; ++i) {
      const int seen = i % 3 == 0 ? *static_cast<volatile int*>(word) : plain_load(word);
      back += seen < last;
      last = seen;
      if (i % 7 == 0) atomicAdd(out + 1, 1);
    }
    *out = back;
  }
}

constexpr Lines kLongAgo{__LINE__ + 3, __LINE__ + 6};
__global__ void long_ago_kernel(int* word, int* out) {
  const unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
  if (me == 0) word[0] = 7;
  for (int i = 0; i < 50; ++i) out[me] += i;
  // By the last block.
  if (me + 1 == gridDim.x * blockDim.x) out[me] += word[0];
}

// What a kernel moves as a whole; compilers announce both of its accesses before they make any.
template <class T>
__global__ void copies_kernel(const T* in, T* scratch, T* out) {
  FOXHUNT_SHARED(T, tile, 64);
  const unsigned t = threadIdx.x, i = blockIdx.x * 64 + t;
  tile[t] = in[i];
  __syncthreads();
  scratch[i] = tile[63 - t];
  scratch[i] = in[i];
  __syncthreads();
  out[i] = scratch[blockIdx.x * 64 + (t + 1) % 64];
}

}  // namespace

Lines hand_over(Handover how, int* data, int* flag, int* out, cudaStream_t stream) {
  const auto kernel = how.writer_fence   ? how.reader_fence ? hand_over_kernel<true, true>
                                                            : hand_over_kernel<true, false>
                        : how.reader_fence ? hand_over_kernel<false, true>
                                         : hand_over_kernel<false, false>;
  launch(kernel, 2, 1, 0, stream, data, flag, out);
  return kHandOver;
}

Lines exchange(Between what, int blocks, int* scratch, int* out, cudaStream_t stream) {
  const auto kernel = what == Between::barrier        ? exchange_kernel<Between::barrier>
                      : what == Between::warp_barrier ? exchange_kernel<Between::warp_barrier>
                                                      : exchange_kernel<Between::nothing>;
  launch(kernel, static_cast<unsigned>(blocks), 64, 0, stream, scratch, out);
  return kExchange;
}

void own_stores(int threads, unsigned char* memory, int* out, cudaStream_t stream) {
  launch(own_stores_kernel, 1, static_cast<unsigned>(threads), 0, stream, memory, out);
}

void pairs(unsigned long long* pair, int* out, cudaStream_t stream) {
  launch(pairs_kernel, 2, 1, 0, stream, pair, out);
}

template <class T>
void copies(int blocks, const T* in, T* scratch, T* out, cudaStream_t stream) {
  launch(copies_kernel<T>, static_cast<unsigned>(blocks), 64, 0, stream, in, scratch, out);
}
template void copies(int, const float2*, float2*, float2*, cudaStream_t);
template void copies(int, const float4*, float4*, float4*, cudaStream_t);
template void copies(int, const Odd*, Odd*, Odd*, cudaStream_t);

Lines long_ago(int blocks, int* word, int* out, cudaStream_t stream) {
  launch(long_ago_kernel, static_cast<unsigned>(blocks), 64, 0, stream, word, out);
  return kLongAgo;
}

void counts(int* word, int* out, cudaStream_t stream) {
  launch(counts_kernel, 2, 1, 0, stream, word, out);
}

}  // namespace foxhunt::simt_test
