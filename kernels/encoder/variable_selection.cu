// SPDX-License-Identifier: MIT
#include <cstddef>

#include "kernels/encoder/limits.h"
#include "kernels/encoder/variable_selection.h"
#include "kernels/math/elementary.h"

namespace foxhunt {
namespace {

constexpr int kThreads = 64;
constexpr int kRows = 16;  // of the window that a block holds at a time; innermost in shared memory

struct Layer {
  const float* w;
  const float* b;
  int features, width;
  __device__ int w_row() const { return features + 2 * width; }
  __device__ int b_row() const { return 1 + 2 * width; }
};

using Column = float[kRows];  // one feature or mix of a block's rows

// x[f][r] = the window's rows, and 0 past their end.
__device__ void stage_rows(const float* window, int rows, int features, Column* x) {
  for (int e = static_cast<int>(threadIdx.x); e < kRows * features; e += kThreads) {
    const int r = e / features, f = e % features;
    x[f][r] = r < rows ? window[r * features + f] : 0.0f;
  }
}

// weights[f][r] = softmax over f of the selection scores. Ends at a barrier.
__device__ void select_features(const Layer& layer, const Column* x, Column* weights) {
  for (int e = static_cast<int>(threadIdx.x); e < kRows * layer.features; e += kThreads) {
    const int f = e / kRows, r = e % kRows;
    float score = layer.b[f * layer.b_row()];
    for (int g = 0; g < layer.features; g++) {
      score = math::fma(x[g][r], layer.w[g * layer.w_row() + f], score);
    }
    weights[f][r] = score;
  }
  __syncthreads();
  const int r = static_cast<int>(threadIdx.x);
  if (r < kRows) {
    float largest = weights[0][r];
    for (int f = 1; f < layer.features; f++) largest = fmaxf(largest, weights[f][r]);
    float total = 0.0f;
    for (int f = 0; f < layer.features; f++) {
      weights[f][r] = math::exp(weights[f][r] - largest);
      total += weights[f][r];
    }
    for (int f = 0; f < layer.features; f++) weights[f][r] /= total;
  }
  __syncthreads();
}

// mix[j] of all rows.
__device__ void mix_column(const Layer& layer, const Column* x, const Column* weights, int j,
                           Column& mix) {
  for (int r = 0; r < kRows; r++) mix[r] = 0.0f;
  for (int f = 0; f < layer.features; f++) {
    const float slope = layer.w[f * layer.w_row() + layer.features + j];
    const float offset = layer.b[f * layer.b_row() + 1 + j];
    for (int r = 0; r < kRows; r++) {
      mix[r] = math::fma(weights[f][r], math::fma(x[f][r], slope, offset), mix[r]);
    }
  }
}

__global__ void __launch_bounds__(kThreads)
    variable_selection_fwd_kernel(const float* window, Layer layer, int rows, float* out) {
  FOXHUNT_DYNAMIC_SHARED(float, shared);
  Column* x = reinterpret_cast<Column*>(shared);
  Column* weights = x + layer.features;
  const int first = static_cast<int>(blockIdx.x) * kRows;
  const int here = min(kRows, rows - first);
  stage_rows(window + static_cast<std::ptrdiff_t>(first) * layer.features, here, layer.features, x);
  __syncthreads();
  select_features(layer, x, weights);
  for (int d = static_cast<int>(threadIdx.x); d < layer.width; d += kThreads) {
    Column value, gate;
    mix_column(layer, x, weights, d, value);
    mix_column(layer, x, weights, layer.width + d, gate);
    for (int r = 0; r < here; r++) {
      out[static_cast<std::ptrdiff_t>(first + r) * layer.width + d] =
          value[r] * math::sigmoid(gate[r]);
    }
  }
}

// grad_mix[j][r], the gradients at the mix, from those at the output.
__device__ void gate_backward(const Layer& layer, const Column* x, const Column* weights,
                              const float* grad_out, int rows, Column* grad_mix) {
  for (int d = static_cast<int>(threadIdx.x); d < layer.width; d += kThreads) {
    Column value, gate;
    mix_column(layer, x, weights, d, value);
    mix_column(layer, x, weights, layer.width + d, gate);
    for (int r = 0; r < kRows; r++) {
      const float g = r < rows ? grad_out[r * layer.width + d] : 0.0f;
      const float open = math::sigmoid(gate[r]);
      grad_mix[d][r] = g * open;
      grad_mix[layer.width + d][r] = g * value[r] * (open * (1.0f - open));
    }
  }
}

// grad_scores[f][r], the gradients at the selection scores. Begins after a barrier, ends at one.
__device__ void softmax_backward(const Layer& layer, const Column* x, const Column* weights,
                                 const Column* grad_mix, Column* grad_scores) {
  constexpr int kGroup = 4;  // rows that a thread takes together
  for (int e = static_cast<int>(threadIdx.x); e < layer.features * (kRows / kGroup);
       e += kThreads) {
    const int f = e / (kRows / kGroup), r0 = e % (kRows / kGroup) * kGroup;
    float sum[kGroup] = {};
    for (int j = 0; j < 2 * layer.width; j++) {
      const float slope = layer.w[f * layer.w_row() + layer.features + j];
      const float offset = layer.b[f * layer.b_row() + 1 + j];
      for (int i = 0; i < kGroup; i++) {
        sum[i] = math::fma(grad_mix[j][r0 + i], math::fma(x[f][r0 + i], slope, offset), sum[i]);
      }
    }
    for (int i = 0; i < kGroup; i++) grad_scores[f][r0 + i] = sum[i];
  }
  __syncthreads();
  const int r = static_cast<int>(threadIdx.x);
  if (r < kRows) {
    float mean = 0.0f;
    for (int f = 0; f < layer.features; f++) {
      mean = math::fma(weights[f][r], grad_scores[f][r], mean);
    }
    for (int f = 0; f < layer.features; f++) {
      grad_scores[f][r] = weights[f][r] * (grad_scores[f][r] - mean);
    }
  }
  __syncthreads();
}

// Adds these rows' share to the batch item's gradients; the first rows start them.
__device__ void add_parameter_gradients(const Layer& layer, const Column* x, const Column* weights,
                                        const Column* grad_mix, const Column* grad_scores, int rows,
                                        bool first, float* grad_w, float* grad_b) {
  for (int e = static_cast<int>(threadIdx.x); e < layer.features * 2 * layer.width; e += kThreads) {
    const int f = e / (2 * layer.width), j = e % (2 * layer.width);
    float* slope = grad_w + f * layer.w_row() + layer.features + j;
    float* offset = grad_b + f * layer.b_row() + 1 + j;
    float of_slope = first ? 0.0f : *slope, of_offset = first ? 0.0f : *offset;
    for (int r = 0; r < rows; r++) {
      const float g = grad_mix[j][r] * weights[f][r];
      of_slope = math::fma(g, x[f][r], of_slope);
      of_offset += g;
    }
    *slope = of_slope;
    *offset = of_offset;
  }
  for (int e = static_cast<int>(threadIdx.x); e < layer.features * layer.features; e += kThreads) {
    const int g = e / layer.features, f = e % layer.features;
    float* score = grad_w + g * layer.w_row() + f;
    float sum = first ? 0.0f : *score;
    for (int r = 0; r < rows; r++) sum = math::fma(grad_scores[f][r], x[g][r], sum);
    *score = sum;
  }
  for (int f = static_cast<int>(threadIdx.x); f < layer.features; f += kThreads) {
    float sum = first ? 0.0f : grad_b[f * layer.b_row()];
    for (int r = 0; r < rows; r++) sum += grad_scores[f][r];
    grad_b[f * layer.b_row()] = sum;
  }
}

// With kBarrier false, the bug: no barrier between storing the gradients at the mix and reading
// those of other threads, which then are the rows' before, or what the memory held.
//
// One block of few threads may have all the registers that it wants: none is spilled.
template <bool kBarrier>
__global__ void __launch_bounds__(kThreads, 1)
    variable_selection_bwd_kernel(const float* window, Layer layer, const float* grad_out, int rows,
                                  float* grad_w, float* grad_b) {
  FOXHUNT_DYNAMIC_SHARED(float, shared);
  Column* x = reinterpret_cast<Column*>(shared);
  Column* weights = x + layer.features;
  Column* grad_scores = weights + layer.features;
  Column* grad_mix = grad_scores + layer.features;  // [2 * width]
  const auto item = static_cast<std::ptrdiff_t>(blockIdx.x);
  window += item * rows * layer.features;
  grad_out += item * rows * layer.width;
  grad_w += item * layer.features * layer.w_row();
  grad_b += item * layer.features * layer.b_row();
  for (int first = 0; first < rows; first += kRows) {
    const int here = min(kRows, rows - first);
    stage_rows(window + first * layer.features, here, layer.features, x);
    __syncthreads();
    select_features(layer, x, weights);
    gate_backward(layer, x, weights, grad_out + first * layer.width, here, grad_mix);
    if constexpr (kBarrier) __syncthreads();
    softmax_backward(layer, x, weights, grad_mix, grad_scores);
    add_parameter_gradients(layer, x, weights, grad_mix, grad_scores, here, first == 0, grad_w,
                            grad_b);
    __syncthreads();  // the next rows overwrite all of it
  }
}

void require_sizes(const char* op, int features, int width) {
  require_at_most(op, "the number of features", features, 64);
  require_at_most(op, "the width", width, 256);
}

std::size_t columns(int count) { return static_cast<std::size_t>(count) * sizeof(Column); }

}  // namespace

void variable_selection_fwd(const float* sampled_window, const float* w, const float* b, int batch,
                            int window, int features, int width, float* vsn_out,
                            cudaStream_t stream) {
  const int rows = batch * window;
  if (rows <= 0) return;
  require_sizes("variable_selection_fwd", features, width);
  foxhunt::launch(variable_selection_fwd_kernel,
                  dim3(static_cast<unsigned>((rows + kRows - 1) / kRows)), dim3(kThreads),
                  columns(2 * features), stream, sampled_window, Layer{w, b, features, width}, rows,
                  vsn_out);
}

void variable_selection_bwd(const float* sampled_window, const float* w, const float* b,
                            const float* grad_out, int batch, int window, int features, int width,
                            float* vsn_grad_w_scratch, float* vsn_grad_b_scratch,
                            cudaStream_t stream, VariableSelectionBwdVariant variant) {
  if (batch <= 0) return;
  require_sizes("variable_selection_bwd", features, width);
  const auto kernel = variant == VariableSelectionBwdVariant::missing_barrier
                          ? variable_selection_bwd_kernel<false>
                          : variable_selection_bwd_kernel<true>;
  foxhunt::launch(kernel, dim3(static_cast<unsigned>(batch)), dim3(kThreads),
                  columns(3 * features + 2 * width), stream, sampled_window,
                  Layer{w, b, features, width}, grad_out, window, vsn_grad_w_scratch,
                  vsn_grad_b_scratch);
}

}  // namespace foxhunt
