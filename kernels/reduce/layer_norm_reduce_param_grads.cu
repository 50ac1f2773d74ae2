// SPDX-License-Identifier: MIT
#include "kernels/reduce/last_block.h"
#include "kernels/reduce/layer_norm_reduce_param_grads.h"
#include "kernels/reduce/row_sums.h"

namespace foxhunt {
namespace {

using reduce::kRowSumColumns;

constexpr int kChunks = 8;  // blocks per tile in the variant

// blockIdx.y: 0 for the gain, 1 for the bias.
template <bool kAligned>
__global__ void __launch_bounds__(reduce::kRowSumThreads)
    layer_norm_reduce_kernel(const float* gain_per_row, const float* bias_per_row, int rows,
                             int cols, float* grad_gain, float* grad_bias) {
  const bool gain = blockIdx.y == 0;
  const int tile = static_cast<int>(blockIdx.x);
  const float sum =
      reduce::row_sum<kAligned>(gain ? gain_per_row : bias_per_row, 0, rows, cols, tile);
  const int column = tile * kRowSumColumns + static_cast<int>(threadIdx.x);
  if (static_cast<int>(threadIdx.x) < kRowSumColumns && column < cols) {
    (gain ? grad_gain : grad_bias)[column] = sum;
  }
}

// Wrong on purpose: see sum_rows_last_block_no_fence.
template <bool kAligned>
__global__ void __launch_bounds__(reduce::kRowSumThreads)
    layer_norm_reduce_last_block_no_fence(const float* gain_per_row, const float* bias_per_row,
                                          int rows, int cols, float* partial, unsigned* tickets,
                                          float* grad_gain, float* grad_bias) {
  const bool gain = blockIdx.y == 0;
  const int tile = static_cast<int>(blockIdx.x);
  const int half = gain ? 0 : 1;
  reduce::sum_rows_last_block_no_fence<kAligned>(
      gain ? gain_per_row : bias_per_row, rows, cols, tile, static_cast<int>(blockIdx.z), kChunks,
      partial + half * kChunks * cols, tickets + half * static_cast<int>(gridDim.x) + tile,
      gain ? grad_gain : grad_bias);
}

int tiles(int cols) { return (cols + kRowSumColumns - 1) / kRowSumColumns; }

template <bool kAligned>
void launch_variant(const float* gain_per_row, const float* bias_per_row, int rows, int cols,
                    float* grad_gain, float* grad_bias, void* workspace, cudaStream_t stream,
                    LayerNormReduceVariant variant) {
  const auto columns = static_cast<unsigned>(tiles(cols));
  const dim3 block(reduce::kRowSumThreads);
  switch (variant) {
    case LayerNormReduceVariant::deterministic:
      launch(layer_norm_reduce_kernel<kAligned>, dim3(columns, 2), block, 0, stream, gain_per_row,
             bias_per_row, rows, cols, grad_gain, grad_bias);
      break;
    case LayerNormReduceVariant::last_block_no_fence: {
      auto* tickets = static_cast<unsigned*>(workspace);
      auto* partial = reinterpret_cast<float*>(tickets + 2 * columns);
      cudaMemsetAsync(tickets, 0, 2 * columns * sizeof(unsigned), stream);
      launch(layer_norm_reduce_last_block_no_fence<kAligned>, dim3(columns, 2, kChunks), block, 0,
             stream, gain_per_row, bias_per_row, rows, cols, partial, tickets, grad_gain,
             grad_bias);
      break;
    }
  }
}

}  // namespace

void layer_norm_reduce_param_grads(const float* gain_per_row, const float* bias_per_row, int rows,
                                   int cols, float* grad_gain, float* grad_bias, void* workspace,
                                   cudaStream_t stream, LayerNormReduceVariant variant) {
  if (cols == 0) return;
  if (allows_four(gain_per_row, cols) && allows_four(bias_per_row, cols)) {
    launch_variant<true>(gain_per_row, bias_per_row, rows, cols, grad_gain, grad_bias, workspace,
                         stream, variant);
  } else {
    launch_variant<false>(gain_per_row, bias_per_row, rows, cols, grad_gain, grad_bias, workspace,
                          stream, variant);
  }
}

std::size_t layer_norm_reduce_workspace(int cols, LayerNormReduceVariant variant) {
  if (variant != LayerNormReduceVariant::last_block_no_fence) return 0;
  return 2 * (static_cast<std::size_t>(tiles(cols)) * sizeof(unsigned) +
              static_cast<std::size_t>(cols) * kChunks * sizeof(float));
}

}  // namespace foxhunt
