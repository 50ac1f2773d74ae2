// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/simt/dialect.h"

namespace foxhunt {

enum class GradHAccumulateVariant { deterministic, float_atomics, stale_lambda };

inline constexpr int kGradHHeads = 5;

// The gradients of the heads at h, each device, f32, row-major [batch, hidden], in the order q, pi,
// v, frd, outcome; read only.
struct HeadGradients {
  const float* head[kGradHHeads];
};

// combined = the sum over heads of lambda[head] * gradients.head[head], overwriting it.
//
// The weights come from the host: they are copied from `host_lambda` to `lambda` on `copy_stream`,
// at most one call ahead of the computation. host_lambda must stay as it is until `stream` has done
// the work of this call.
//
// Determinism: gpu_to_gpu. One thread writes an element and adds the heads in order; events make
// `stream` wait for the copy, and the copy for whatever read the weights before.
//
// count        batch * hidden
// host_lambda  pinned host memory, f32 [kGradHHeads]
// lambda       device, f32 [kGradHHeads], overwritten
// combined     device, f32 [count]
// copy_stream  another stream than `stream`
void grad_h_accumulate_scaled(
    const HeadGradients& gradients, int count, const float* host_lambda, float* lambda,
    float* combined, cudaStream_t stream, cudaStream_t copy_stream,
    GradHAccumulateVariant variant = GradHAccumulateVariant::deterministic);

}  // namespace foxhunt
