// SPDX-License-Identifier: MIT
#pragma once

// Device code: softmax cross-entropy against one label a row, for the FRD and the outcome head.
#include "kernels/heads/softmax_row.h"
#include "kernels/heads/tile_product.h"

namespace foxhunt::heads {

// loss_rows[b] = -log p(label[b]) and grad_logits[b,c] = (p(c) - [c == label[b]]) / rows. A label
// outside [0, classes) says that the row has none: its loss and gradient are 0.
//
// One thread a row, in index order: gpu_to_gpu.
template <class Head>
__global__ void cross_entropy(const float* logits, const int* labels, int rows, int classes,
                              float* loss_rows, float* grad_logits) {
  const int b = thread_number();
  if (b >= rows) return;
  const float* row = logits + b * classes;
  float* grad = grad_logits + b * classes;
  const int label = labels[b];
  if (label < 0 || label >= classes) {
    loss_rows[b] = 0.0f;
    for (int c = 0; c < classes; ++c) grad[c] = 0.0f;
    return;
  }
  const SoftmaxRow softmax = softmax_of(row, classes);
  loss_rows[b] = -softmax.log_probability(row[label]);
  const float count = static_cast<float>(rows);
  for (int c = 0; c < classes; ++c) {
    const float p = softmax.probability(row[c]);
    grad[c] = math::div(c == label ? math::add(p, -1.0f) : p, count);
  }
}

template <class Head>
void launch_cross_entropy(const float* logits, const int* labels, int rows, int classes,
                          float* loss_rows, float* grad_logits, cudaStream_t stream) {
  if (rows == 0) return;
  launch(cross_entropy<Head>, blocks_for(rows), kThreads, 0, stream, logits, labels, rows, classes,
         loss_rows, grad_logits);
}

}  // namespace foxhunt::heads
