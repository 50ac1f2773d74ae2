// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "kernels/simt/dialect.h"

namespace foxhunt {

enum class LayerNormReduceVariant { deterministic, last_block_no_fence };

// Sums a layer norm's two per-row gradients, each [rows, cols], over rows into grad_gain[cols] and
// grad_bias[cols], overwriting both.
//
// Determinism: gpu_to_gpu, as reduce_axis0, whose order of additions it has.
//
// gain_per_row, bias_per_row  device, f32, row-major [rows, cols]; read only
// grad_gain, grad_bias        device, f32 [cols]
// workspace                   device, layer_norm_reduce_workspace() bytes; for the variant only,
//                             contents don't matter
void layer_norm_reduce_param_grads(
    const float* gain_per_row, const float* bias_per_row, int rows, int cols, float* grad_gain,
    float* grad_bias, void* workspace, cudaStream_t stream,
    LayerNormReduceVariant variant = LayerNormReduceVariant::deterministic);

// In bytes; 0 for `deterministic`, which takes a null workspace.
std::size_t layer_norm_reduce_workspace(int cols, LayerNormReduceVariant variant);

}  // namespace foxhunt
