// SPDX-License-Identifier: MIT
#pragma once

// Device code: the atoms of a ValueSupport, and means over them.
#include "kernels/heads/softmax_row.h"
#include "kernels/heads/value_support.h"

namespace foxhunt::heads {

struct Atoms {
  float low, gap;
  int count;

  __device__ explicit Atoms(const ValueSupport& s)
      : low(s.v_min),
        gap(math::div(math::add(s.v_max, -s.v_min), static_cast<float>(s.atoms - 1))),
        count(s.atoms) {}

  __device__ float value(int j) const { return math::fma(static_cast<float>(j), gap, low); }

  // The mean of the distribution that one row of logits stands for, given the row's softmax; adds
  // by ascending atom.
  __device__ float mean_of_logits(const float* logits, const SoftmaxRow& softmax) const {
    float sum = 0.0f;
    for (int j = 0; j < count; ++j) sum = math::fma(softmax.weight(logits[j]), value(j), sum);
    return math::div(sum, softmax.sum);
  }
  __device__ float mean_of_logits(const float* logits) const {
    return mean_of_logits(logits, softmax_of(logits, count));
  }

  // The mean of one row of probabilities; adds by ascending atom.
  __device__ float mean(const float* probabilities) const {
    float sum = 0.0f;
    for (int j = 0; j < count; ++j) sum = math::fma(probabilities[j], value(j), sum);
    return sum;
  }
};

}  // namespace foxhunt::heads
