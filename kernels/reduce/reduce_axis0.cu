// SPDX-License-Identifier: MIT
#include "kernels/reduce/last_block.h"
#include "kernels/reduce/reduce_axis0.h"
#include "kernels/reduce/row_sums.h"

namespace foxhunt {
namespace {

using reduce::kRowSumColumns;

constexpr int kChunks = 8;  // blocks per tile in the variants

template <bool kAligned>
__global__ void __launch_bounds__(reduce::kRowSumThreads)
    reduce_axis0_kernel(const float* scratch, int rows, int cols, float* grad) {
  const int tile = static_cast<int>(blockIdx.x);
  const float sum = reduce::row_sum<kAligned>(scratch, 0, rows, cols, tile);
  const int column = tile * kRowSumColumns + static_cast<int>(threadIdx.x);
  if (static_cast<int>(threadIdx.x) < kRowSumColumns && column < cols) grad[column] = sum;
}

// Wrong on purpose: blocks add their rows' sums to the gradient in whatever order they arrive.
template <bool kAligned>
__global__ void __launch_bounds__(reduce::kRowSumThreads)
    reduce_axis0_float_atomics(const float* scratch, int rows, int cols, float* grad) {
  const int tile = static_cast<int>(blockIdx.x), chunk = static_cast<int>(blockIdx.y);
  const int share = (rows + kChunks - 1) / kChunks;
  const int first = chunk * share;
  const int last = first + share < rows ? first + share : rows;
  const float sum = reduce::row_sum<kAligned>(scratch, first, last, cols, tile);
  const int column = tile * kRowSumColumns + static_cast<int>(threadIdx.x);
  if (static_cast<int>(threadIdx.x) < kRowSumColumns && column < cols) {
    atomicAdd(&grad[column], sum);
  }
}

// Wrong on purpose: see sum_rows_last_block_no_fence.
template <bool kAligned>
__global__ void __launch_bounds__(reduce::kRowSumThreads)
    reduce_axis0_last_block_no_fence(const float* scratch, int rows, int cols, float* partial,
                                     unsigned* tickets, float* grad) {
  const int tile = static_cast<int>(blockIdx.x);
  reduce::sum_rows_last_block_no_fence<kAligned>(scratch, rows, cols, tile,
                                                 static_cast<int>(blockIdx.y), kChunks, partial,
                                                 tickets + tile, grad);
}

int tiles(int cols) { return (cols + kRowSumColumns - 1) / kRowSumColumns; }

template <bool kAligned>
void launch_variant(const float* scratch, int rows, int cols, float* grad, void* workspace,
                    cudaStream_t stream, ReduceAxis0Variant variant) {
  const auto columns = static_cast<unsigned>(tiles(cols));
  const dim3 block(reduce::kRowSumThreads);
  switch (variant) {
    case ReduceAxis0Variant::deterministic:
      launch(reduce_axis0_kernel<kAligned>, dim3(columns), block, 0, stream, scratch, rows, cols,
             grad);
      break;
    case ReduceAxis0Variant::float_atomics:
      cudaMemsetAsync(grad, 0, static_cast<std::size_t>(cols) * sizeof(float), stream);
      launch(reduce_axis0_float_atomics<kAligned>, dim3(columns, kChunks), block, 0, stream,
             scratch, rows, cols, grad);
      break;
    case ReduceAxis0Variant::last_block_no_fence: {
      auto* tickets = static_cast<unsigned*>(workspace);
      auto* partial = reinterpret_cast<float*>(tickets + columns);
      cudaMemsetAsync(tickets, 0, columns * sizeof(unsigned), stream);
      launch(reduce_axis0_last_block_no_fence<kAligned>, dim3(columns, kChunks), block, 0, stream,
             scratch, rows, cols, partial, tickets, grad);
      break;
    }
  }
}

}  // namespace

void reduce_axis0(const float* scratch, int rows, int cols, float* grad, void* workspace,
                  cudaStream_t stream, ReduceAxis0Variant variant) {
  if (cols == 0) return;
  if (allows_four(scratch, cols)) {
    launch_variant<true>(scratch, rows, cols, grad, workspace, stream, variant);
  } else {
    launch_variant<false>(scratch, rows, cols, grad, workspace, stream, variant);
  }
}

std::size_t reduce_axis0_workspace(int cols, ReduceAxis0Variant variant) {
  if (variant != ReduceAxis0Variant::last_block_no_fence) return 0;
  return static_cast<std::size_t>(tiles(cols)) * sizeof(unsigned) +
         static_cast<std::size_t>(cols) * kChunks * sizeof(float);
}

}  // namespace foxhunt
