// SPDX-License-Identifier: MIT
#include <cstddef>

#include "kernels/encoder/attention_pool.h"
#include "kernels/encoder/limits.h"
#include "kernels/math/elementary.h"

namespace foxhunt {
namespace {

constexpr int kLongestWindow = 4096;
constexpr int kThreads = 64;
constexpr int kLanes = 4;  // that share a row's dot product
constexpr int kRowsAPass = kThreads / kLanes;

struct Window {
  const float* x;  // [rows, hidden]
  int rows, hidden;
  float scale;  // 1 / sqrt(hidden)
};

__device__ Window window_of_block(const float* x, int rows, int hidden) {
  return {x + static_cast<std::ptrdiff_t>(blockIdx.x) * rows * hidden, rows, hidden,
          math::rsqrt(static_cast<float>(hidden))};
}

// This lane's share of v . row: quads `lane`, lane + 4, lane + 8, ... each in index order.
__device__ float dot_of_lane(const float* v, const float* row, int hidden, int lane) {
  float sum = 0.0f;
  for (int quad = 4 * lane; quad < hidden; quad += 4 * kLanes) {
    const int end = min(quad + 4, hidden);
    for (int h = quad; h < end; h++) sum = math::fma(v[h], row[h], sum);
  }
  return sum;
}

// Joins the shares of a row's four lanes; lane 0 gets the sum. All lanes of the warp call it. The
// first __syncwarp keeps a lane from storing its next share while lane 0 still reads its last one.
template <bool kSync>
__device__ float join_lanes(float share, float* part) {
  const int t = static_cast<int>(threadIdx.x), lane = t % kLanes;
  if constexpr (kSync) __syncwarp();
  part[t] = share;
  if constexpr (kSync) __syncwarp();
  if (lane < 2) part[t] += part[t + 2];
  if constexpr (kSync) __syncwarp();
  return lane == 0 ? part[t] + part[t + 1] : 0.0f;
}

// dots[t] = v . x[t] for all rows.
template <bool kSync>
__device__ void dot_rows(const Window& w, const float* v, float* part, float* dots) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  for (int first = 0; first < w.rows; first += kRowsAPass) {
    const int t = first + static_cast<int>(threadIdx.x) / kLanes;
    const bool inside = t < w.rows;
    const float share = inside ? dot_of_lane(v, w.x + t * w.hidden, w.hidden, lane) : 0.0f;
    const float dot = join_lanes<kSync>(share, part);
    if (inside && lane == 0) dots[t] = dot;
  }
}

// weights[t] = softmax(scale * weights)[t] in place. A barrier stands before and after it.
__device__ void softmax_rows(const Window& w, float* weights) {
  float largest = weights[0] * w.scale;
  for (int t = 1; t < w.rows; t++) largest = fmaxf(largest, weights[t] * w.scale);
  __syncthreads();
  for (int t = static_cast<int>(threadIdx.x); t < w.rows; t += kThreads) {
    weights[t] = math::exp(weights[t] * w.scale - largest);
  }
  __syncthreads();
  float total = 0.0f;
  for (int t = 0; t < w.rows; t++) total += weights[t];
  __syncthreads();
  for (int t = static_cast<int>(threadIdx.x); t < w.rows; t += kThreads) weights[t] /= total;
}

__global__ void __launch_bounds__(kThreads)
    attention_pool_fwd_kernel(const float* x, const float* q, int rows, int hidden, float* out) {
  FOXHUNT_DYNAMIC_SHARED(float, weights);  // [rows]
  FOXHUNT_SHARED(float, part, kThreads);
  const Window w = window_of_block(x, rows, hidden);
  dot_rows<true>(w, q, part, weights);
  __syncthreads();
  softmax_rows(w, weights);
  __syncthreads();
  for (int h = static_cast<int>(threadIdx.x); h < hidden; h += kThreads) {
    float sum = 0.0f;
    for (int t = 0; t < rows; t++) sum = math::fma(weights[t], w.x[t * hidden + h], sum);
    out[static_cast<std::ptrdiff_t>(blockIdx.x) * hidden + h] = sum;
  }
}

// With kSync false, the bug: the tree that joins four lanes' sums relies on a warp's lanes running
// in step, so a lane may add a neighbour's slot before that neighbour has written it.
template <bool kSync>
__global__ void __launch_bounds__(kThreads)
    attention_pool_bwd_kernel(const float* x, const float* q, const float* grad_out, int rows,
                              int hidden, float* grad_x, float* grad_q) {
  FOXHUNT_DYNAMIC_SHARED(float, weights);  // [rows], then the gradients at them [rows]
  FOXHUNT_SHARED(float, part, kThreads);
  const Window w = window_of_block(x, rows, hidden);
  float* grad_weights = weights + rows;
  const float* g = grad_out + static_cast<std::ptrdiff_t>(blockIdx.x) * hidden;
  dot_rows<kSync>(w, q, part, weights);
  dot_rows<kSync>(w, g, part, grad_weights);
  __syncthreads();
  softmax_rows(w, weights);
  __syncthreads();
  float mean = 0.0f;
  for (int t = 0; t < rows; t++) mean = math::fma(weights[t], grad_weights[t], mean);
  grad_x += static_cast<std::ptrdiff_t>(blockIdx.x) * rows * hidden;
  for (int h = static_cast<int>(threadIdx.x); h < hidden; h += kThreads) {
    float sum = 0.0f;
    for (int t = 0; t < rows; t++) {
      const float grad_score = weights[t] * (grad_weights[t] - mean) * w.scale;
      sum = math::fma(grad_score, w.x[t * hidden + h], sum);
      grad_x[t * hidden + h] = math::fma(weights[t], g[h], grad_score * q[h]);
    }
    grad_q[static_cast<std::ptrdiff_t>(blockIdx.x) * hidden + h] = sum;
  }
}

}  // namespace

void attention_pool_fwd(const float* cfc_out, const float* q, int batch, int window, int hidden,
                        float* attn_pool_out, cudaStream_t stream) {
  if (batch <= 0) return;
  require_at_most("attention_pool_fwd", "the window", window, kLongestWindow);
  foxhunt::launch(attention_pool_fwd_kernel, dim3(static_cast<unsigned>(batch)), dim3(kThreads),
                  static_cast<std::size_t>(window) * sizeof(float), stream, cfc_out, q, window,
                  hidden, attn_pool_out);
}

void attention_pool_bwd(const float* cfc_out, const float* q, const float* grad_out, int batch,
                        int window, int hidden, float* grad_cfc_out, float* attn_grad_q_scratch,
                        cudaStream_t stream, AttentionPoolBwdVariant variant) {
  if (batch <= 0) return;
  require_at_most("attention_pool_bwd", "the window", window, kLongestWindow);
  const auto kernel = variant == AttentionPoolBwdVariant::warp_no_sync
                          ? attention_pool_bwd_kernel<false>
                          : attention_pool_bwd_kernel<true>;
  foxhunt::launch(kernel, dim3(static_cast<unsigned>(batch)), dim3(kThreads),
                  2 * static_cast<std::size_t>(window) * sizeof(float), stream, cfc_out, q,
                  grad_out, window, hidden, grad_cfc_out, attn_grad_q_scratch);
}

}  // namespace foxhunt
