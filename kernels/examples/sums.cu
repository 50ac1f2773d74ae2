// SPDX-License-Identifier: MIT
// One sum, four ways: what explore-schedules says of each is in README.md.
#include <stdexcept>
#include <vector>

#include "kernels/simt/explore/case.h"

namespace {

constexpr unsigned kBlocks = 32, kThreads = 64, kElements = kBlocks * kThreads;

// The block's sum, in thread 0: a tree of fixed shape.
__device__ float block_sum(float value, float* shared) {
  const unsigned t = threadIdx.x;
  shared[t] = value;
  __syncthreads();
  for (unsigned distance = kThreads / 2; distance > 0; distance /= 2) {
    if (t < distance) shared[t] += shared[t + distance];
    __syncthreads();
  }
  return shared[0];
}

// Blocks add to one float in the order in which they come.
__global__ void sum_by_atomics(const float* in, float* sum) {
  FOXHUNT_SHARED(float, shared, kThreads);
  const float mine = block_sum(in[blockIdx.x * kThreads + threadIdx.x], shared);
  if (threadIdx.x == 0) atomicAdd(sum, mine);
}

// One writer per partial sum, and one block that adds them in the order of their indices.
__global__ void partial_sums(const float* in, float* partial) {
  FOXHUNT_SHARED(float, shared, kThreads);
  const float mine = block_sum(in[blockIdx.x * kThreads + threadIdx.x], shared);
  if (threadIdx.x == 0) partial[blockIdx.x] = mine;
}
__global__ void sum_in_order(const float* partial, unsigned n, float* sum) {
  if (threadIdx.x != 0) return;
  float total = 0;
  for (unsigned i = 0; i < n; ++i) total += partial[i];
  *sum = total;
}

// The last block to finish adds the partial sums; nothing makes sure that they have arrived.
__global__ void sum_by_last_block(const float* in, float* partial, unsigned* ticket, float* sum) {
  FOXHUNT_SHARED(float, shared, kThreads);
  const float mine = block_sum(in[blockIdx.x * kThreads + threadIdx.x], shared);
  if (threadIdx.x != 0) return;
  partial[blockIdx.x] = mine;
  // Here __threadfence() is missing, and another one behind the ticket.
  if (atomicInc(ticket, gridDim.x - 1) != gridDim.x - 1) return;
  float total = 0;
  for (unsigned i = 0; i < gridDim.x; ++i) total += partial[i];
  *sum = total;
}

// A tile turned round, without a barrier between the two halves of the work.
__global__ void turn_round(const float* in, float* out) {
  FOXHUNT_SHARED(float, tile, kThreads);
  const unsigned t = threadIdx.x, first = blockIdx.x * kThreads;
  tile[t] = in[first + t];
  out[first + t] = tile[kThreads - 1 - t];
}

void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

// Device memory of `count` elements, all zero.
template <class T>
struct Buffer {
  T* data = nullptr;
  explicit Buffer(std::size_t count) {
    check(cudaMalloc(&data, count * sizeof(T)));
    check(cudaMemset(data, 0, count * sizeof(T)));
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { cudaFree(data); }
};

// Large and small terms, so that the order of a sum shows.
struct Input : Buffer<float> {
  Input() : Buffer(kElements) {
    std::vector<float> values(kElements);
    for (unsigned i = 0; i < kElements; ++i) {
      const float unit = static_cast<float>(i * 2654435761u >> 8) / 16777216.0f - 0.5f;
      values[i] = i / kThreads % 2 == 0 ? 1000.0f * unit : unit;
    }
    check(cudaMemcpy(data, values.data(), kElements * sizeof(float), cudaMemcpyHostToDevice));
  }
};

}  // namespace

FOXHUNT_EXPLORE(atomic_sum) {
  Input in;
  Buffer<float> sum(1);
  foxhunt::launch(sum_by_atomics, kBlocks, kThreads, 0, nullptr, in.data, sum.data);
  out.device("sum", sum.data, 1);
}

FOXHUNT_EXPLORE(two_kernels) {
  Input in;
  Buffer<float> partial(kBlocks), sum(1);
  foxhunt::launch(partial_sums, kBlocks, kThreads, 0, nullptr, in.data, partial.data);
  foxhunt::launch(sum_in_order, 1, 32, 0, nullptr, partial.data, kBlocks, sum.data);
  out.device("partial", partial.data, kBlocks);
  out.device("sum", sum.data, 1);
}

FOXHUNT_EXPLORE(last_block_without_fence) {
  Input in;
  Buffer<float> partial(kBlocks), sum(1);
  Buffer<unsigned> ticket(1);
  foxhunt::launch(sum_by_last_block, kBlocks, kThreads, 0, nullptr, in.data, partial.data,
                  ticket.data, sum.data);
  out.device("sum", sum.data, 1);
}

FOXHUNT_EXPLORE(missing_barrier) {
  Input in;
  Buffer<float> turned(kElements);
  foxhunt::launch(turn_round, kBlocks, kThreads, 0, nullptr, in.data, turned.data);
  out.device("turned", turned.data, kElements);
}
