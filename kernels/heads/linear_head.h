// SPDX-License-Identifier: MIT
#pragma once

// Device code: the linear layer under every head, y[rows,out] = x[rows,in] w[in,out] + b[out], and
// its gradients. `Head` is a tag that gives each head's kernels a name of their own in a profiler's
// or explore-schedules' report.
//
// Determinism: gpu_to_gpu. Every output element has one writer, which adds in index order
// (tile_product.h). All outputs are overwritten. Row-major f32 on the device.
#include "kernels/heads/tile_product.h"

namespace foxhunt::heads {

template <class Head>
__global__ void linear_forward(const float* x, const float* w, const float* b, int rows, int in,
                               int out, float* y) {
  tile_product<4, 4>(
      rows, out, in, [=](int r, int p) { return x[r * in + p]; },
      [=](int p, int c) { return w[p * out + c]; },
      [=](int r, int c, float sum) { y[r * out + c] = math::add(sum, b[c]); });
}

template <class Head>
__global__ void linear_backward_input(const float* grad_y, const float* w, int rows, int in,
                                      int out, float* grad_x) {
  tile_product<4, 4>(
      rows, in, out, [=](int r, int p) { return grad_y[r * out + p]; },
      [=](int p, int c) { return w[c * out + p]; },
      [=](int r, int c, float sum) { grad_x[r * in + c] = sum; });
}

// Row `in` of the product is the bias's: an input that is always 1.
template <class Head>
__global__ void linear_backward_weights(const float* x, const float* grad_y, int rows, int in,
                                        int out, float* grad_w, float* grad_b) {
  tile_product<4, 4>(
      in + 1, out, rows, [=](int r, int p) { return r < in ? x[p * in + r] : 1.0f; },
      [=](int p, int c) { return grad_y[p * out + c]; },
      [=](int r, int c, float sum) { (r < in ? grad_w[r * out + c] : grad_b[c]) = sum; });
}

template <class Head>
void launch_linear_forward(const float* x, const float* w, const float* b, int rows, int in,
                           int out, float* y, cudaStream_t stream) {
  const unsigned blocks = blocks_for(tile_threads<4, 4>(rows, out));
  if (blocks == 0) return;
  launch(linear_forward<Head>, blocks, kThreads, 0, stream, x, w, b, rows, in, out, y);
}

template <class Head>
void launch_linear_backward_input(const float* grad_y, const float* w, int rows, int in, int out,
                                  float* grad_x, cudaStream_t stream) {
  const unsigned blocks = blocks_for(tile_threads<4, 4>(rows, in));
  if (blocks == 0) return;
  launch(linear_backward_input<Head>, blocks, kThreads, 0, stream, grad_y, w, rows, in, out,
         grad_x);
}

template <class Head>
void launch_linear_backward_weights(const float* x, const float* grad_y, int rows, int in, int out,
                                    float* grad_w, float* grad_b, cudaStream_t stream) {
  const unsigned blocks = blocks_for(tile_threads<4, 4>(in + 1, out));
  if (blocks == 0) return;
  launch(linear_backward_weights<Head>, blocks, kThreads, 0, stream, x, grad_y, rows, in, out,
         grad_w, grad_b);
}

}  // namespace foxhunt::heads
