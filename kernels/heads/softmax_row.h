// SPDX-License-Identifier: MIT
#pragma once

// Device code: the softmax of one row of logits, by one thread, in index order.
#include "kernels/math/elementary.h"
#include "kernels/simt/dialect.h"

namespace foxhunt::heads {

// Shifted by the row's largest logit, so that nothing overflows.
struct SoftmaxRow {
  float shift, sum;  // probability(l) = exp(l - shift) / sum

  __device__ float weight(float logit) const { return math::exp(math::add(logit, -shift)); }
  __device__ float probability(float logit) const { return math::div(weight(logit), sum); }
  __device__ float log_probability(float logit) const {
    return math::add(math::add(logit, -shift), -math::log(sum));
  }
};

// count > 0; logits must be finite.
__device__ inline SoftmaxRow softmax_of(const float* logits, int count) {
  SoftmaxRow row{logits[0], 0.0f};
  for (int i = 1; i < count; ++i) row.shift = logits[i] > row.shift ? logits[i] : row.shift;
  for (int i = 0; i < count; ++i) row.sum = math::add(row.sum, row.weight(logits[i]));
  return row;
}

}  // namespace foxhunt::heads
