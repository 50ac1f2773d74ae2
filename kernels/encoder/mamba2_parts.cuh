// SPDX-License-Identifier: MIT
#pragma once

// What the forward and the backward of mamba2_block.h share on the device.

#include <cstddef>

#include "kernels/encoder/mamba2_block.h"
#include "kernels/math/elementary.h"

namespace foxhunt::mamba2 {

inline constexpr int kThreads = 64;
inline constexpr int kTaps = 4;

// Where batch item `item` begins in a [B,T,columns] buffer.
__device__ inline std::ptrdiff_t item_at(const Mamba2Shape& shape, int item, int columns) {
  return static_cast<std::ptrdiff_t>(item) * shape.window * columns;
}

// The convolution at row t of channel c before silu; `u` is the item's first row of projected.
__device__ inline float convolve(const Mamba2Shape& shape, const float* conv_w, const float* conv_b,
                                 const float* u, int t, int c) {
  float sum = conv_b[c];
  for (int i = 0; i < kTaps; i++) {
    const int row = t - (kTaps - 1) + i;
    if (row < 0) continue;
    const float input = u[row * shape.projected() + shape.inner + c];
    sum = math::fma(conv_w[i * shape.channels() + c], input, sum);
  }
  return sum;
}

// One head of one batch item, its rows' strides being those of the whole buffers.
struct Head {
  const float* z;  // row stride projected
  const float* r;  // row stride projected
  const float* v;  // row stride channels, as B and C
  const float* b;
  const float* c;
  float rate;  // -exp(a_log)
  float dt_bias, d;
};

__device__ inline Head head_of(const Mamba2Shape& shape, const Mamba2Parameters& parameters,
                               const Mamba2Activations& activations, int item, int head) {
  const float* projected = activations.projected + item_at(shape, item, shape.projected());
  const float* convolved = activations.convolved + item_at(shape, item, shape.channels());
  return {projected + head * shape.head(),
          projected + shape.inner + shape.channels() + head,
          convolved + head * shape.head(),
          convolved + shape.inner,
          convolved + shape.inner + shape.state,
          -math::exp(parameters.a_log[head]),
          parameters.dt_bias[head],
          parameters.d[head]};
}

__device__ inline float step_size(const Mamba2Shape& shape, const Head& head, int t) {
  return math::softplus(head.r[t * shape.projected()] + head.dt_bias);
}

// L[t,s] for s <= t.
__device__ inline float decay(const Head& head, const float* dt, int t, int s) {
  float sum = 0.0f;
  for (int r = s + 1; r <= t; r++) sum = math::fma(head.rate, dt[r], sum);
  return math::exp(sum);
}

// C[t] . B[s]
__device__ inline float similarity(const Mamba2Shape& shape, const Head& head, int t, int s) {
  const float* c = head.c + t * shape.channels();
  const float* b = head.b + s * shape.channels();
  float sum = 0.0f;
  for (int n = 0; n < shape.state; n++) sum = math::fma(c[n], b[n], sum);
  return sum;
}

// Floats that the backward keeps of one head in shared memory; the forward needs fewer.
inline int scan_floats(const Mamba2Shape& shape) {
  return shape.window * (4 + shape.head() + 3 * shape.window);
}

// Throws Error (bad_argument) for shapes that the header excludes.
void require_shape(const char* op, const Mamba2Shape& shape);

inline dim3 blocks(int count) { return dim3(static_cast<unsigned>(count)); }

}  // namespace foxhunt::mamba2
