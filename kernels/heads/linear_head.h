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
                               int out, float* y, bool aligned) {
  tile_product(
      rows, out, in, [=](int r, int p) { return x[r * in + p]; },
      [=](int p, int c, int valid) { return four_of(w + p * out + c, valid, aligned); },
      [=](int r, int c, float4 sum, int valid) {
        const float4 bias = four_of(b + c, valid, aligned);
        put_four(y + r * out + c, add_four(sum, bias), valid, aligned);
      });
}

template <class Head>
__global__ void linear_backward_input(const float* grad_y, const float* w, int rows, int in,
                                      int out, float* grad_x, bool aligned) {
  tile_product(
      rows, in, out, [=](int r, int p) { return grad_y[r * out + p]; },
      [=](int p, int c, int valid) {
        return four_from([=](int i) { return w[(c + i) * out + p]; }, valid);
      },
      [=](int r, int c, float4 sum, int valid) {
        put_four(grad_x + r * in + c, sum, valid, aligned);
      });
}

// Row `in` of the product is the bias's: an input that is always 1.
template <class Head>
__global__ void linear_backward_weights(const float* x, const float* grad_y, int rows, int in,
                                        int out, float* grad_w, float* grad_b, bool aligned) {
  tile_product(
      in + 1, out, rows, [=](int r, int p) { return r < in ? x[p * in + r] : 1.0f; },
      [=](int p, int c, int valid) { return four_of(grad_y + p * out + c, valid, aligned); },
      [=](int r, int c, float4 sum, int valid) {
        put_four((r < in ? grad_w + r * out : grad_b) + c, sum, valid, aligned);
      });
}

template <class Head>
void launch_linear_forward(const float* x, const float* w, const float* b, int rows, int in,
                           int out, float* y, cudaStream_t stream) {
  const unsigned blocks = blocks_for(tile_threads(rows, out));
  if (blocks == 0) return;
  const bool aligned = allows_four(w, out) && allows_four(b, out) && allows_four(y, out);
  launch(linear_forward<Head>, blocks, kThreads, 0, stream, x, w, b, rows, in, out, y, aligned);
}

template <class Head>
void launch_linear_backward_input(const float* grad_y, const float* w, int rows, int in, int out,
                                  float* grad_x, cudaStream_t stream) {
  const unsigned blocks = blocks_for(tile_threads(rows, in));
  if (blocks == 0) return;
  launch(linear_backward_input<Head>, blocks, kThreads, 0, stream, grad_y, w, rows, in, out, grad_x,
         allows_four(grad_x, in));
}

template <class Head>
void launch_linear_backward_weights(const float* x, const float* grad_y, int rows, int in, int out,
                                    float* grad_w, float* grad_b, cudaStream_t stream) {
  const unsigned blocks = blocks_for(tile_threads(in + 1, out));
  if (blocks == 0) return;
  const bool aligned =
      allows_four(grad_y, out) && allows_four(grad_w, out) && allows_four(grad_b, out);
  launch(linear_backward_weights<Head>, blocks, kThreads, 0, stream, x, grad_y, rows, in, out,
         grad_w, grad_b, aligned);
}

}  // namespace foxhunt::heads
