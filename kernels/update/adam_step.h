// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/simt/dialect.h"

namespace foxhunt {

enum class AdamVariant { deterministic, racing_step_counter };

struct AdamOptions {
  float learning_rate = 1e-3f;
  float beta1 = 0.9f, beta2 = 0.999f;
  float epsilon = 1e-8f;
};

// What the optimizer counts, in device memory. All zero before the first step.
struct AdamState {
  int step;  // steps taken
  // 1 - beta1^step and 1 - beta2^step of the last one.
  float mean_correction, variance_correction;
};

// One step of Adam (D. Kingma, J. Ba, "Adam: A Method for Stochastic Optimization", 2015) over all
// parameters, with g = scale * grads[i] and t = state->step + 1:
//   m += (1 - beta1) (g - m),  v += (1 - beta2) (g^2 - v)
//   params -= learning_rate * (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon)
// and state->step becomes t.
//
// Determinism: gpu_to_gpu. Every element has one writer and depends on nothing but its own inputs;
// the state is written by one thread of a launch of its own, before any thread reads it.
//
// params, m, v  device, f32 [count], updated in place
// grads         device, f32 [count]; read only
// scale         device, f32 [1]: what the gradients are multiplied by, as global_norm_reduce leaves
//               it; null for 1
// state         device, one AdamState, updated
void adam_step(float* params, float* m, float* v, const float* grads, int count, const float* scale,
               AdamState* state, const AdamOptions& options, cudaStream_t stream,
               AdamVariant variant = AdamVariant::deterministic);

}  // namespace foxhunt
