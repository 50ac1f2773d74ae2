// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/simt/dialect.h"

namespace foxhunt {

enum class LayerNormBwdVariant { deterministic, uninitialised_tail };

// Normalises each row to mean 0 and variance 1, then scales and shifts its columns (J. Ba, J.
// Kiros, G. Hinton, "Layer Normalization", 2016):
//   out = (x - mean) * rstd * gain + bias, rstd = 1 / sqrt(variance + epsilon)
// with the biased variance, computed in a second pass over the row, so that it does not cancel.
//
// Determinism: gpu_to_gpu. Four neighbouring threads own a row; what each adds, and the order in
// which the four sums are joined, depends on the columns' numbers only.
//
// x           device, f32, row-major [rows, cols]; read only
// gain, bias  device, f32 [cols]; read only
// out         device, f32, row-major [rows, cols], overwritten
// mean, rstd  device, f32 [rows], overwritten: for the backward pass
void layer_norm_fwd(const float* x, const float* gain, const float* bias, int rows, int cols,
                    float epsilon, float* out, float* mean, float* rstd, cudaStream_t stream);

// The gradients of layer_norm_fwd. Those of gain and bias stay apart by row, for
// layer_norm_reduce_param_grads to sum: with n = (x - mean) * rstd and g = grad_out * gain,
//   grad_x = rstd * (g - average(g) - n * average(g * n))     averages over the row
//   gain_per_row = grad_out * n,  bias_per_row = grad_out
//
// Determinism: gpu_to_gpu, as forward.
//
// grad_out, x                         device, f32, row-major [rows, cols]; read only
// gain                                device, f32 [cols]; read only
// mean, rstd                          device, f32 [rows], of the forward pass; read only
// grad_x, gain_per_row, bias_per_row  device, f32, row-major [rows, cols], overwritten
void layer_norm_bwd(const float* grad_out, const float* x, const float* gain, const float* mean,
                    const float* rstd, int rows, int cols, float* grad_x, float* gain_per_row,
                    float* bias_per_row, cudaStream_t stream,
                    LayerNormBwdVariant variant = LayerNormBwdVariant::deterministic);

}  // namespace foxhunt
