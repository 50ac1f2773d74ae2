// SPDX-License-Identifier: MIT
#include "kernels/encoder/attention_pool.h"
#include "kernels/encoder/cfc_step.h"
#include "kernels/encoder/layer_norm.h"
#include "kernels/encoder/mamba2_block.h"
#include "kernels/encoder/variable_selection.h"
#include "tests/gpu/bandwidth/traffic.h"

namespace foxhunt::test {
namespace {

constexpr int kWindow = 32, kFeatures = 16, kWidth = 64, kUnits = 64;
constexpr float kEpsilon = 1e-5f;

auto selection_forward(Traffic& t) -> std::function<void(cudaStream_t)> {
  const int batch = t.rows(kWindow * (kFeatures + kWidth));
  const float *x = t.reads(batch * kWindow, kFeatures),
              *w = t.reads(kFeatures, kFeatures + 2 * kWidth),
              *b = t.reads(kFeatures, 1 + 2 * kWidth);
  float* out = t.writes(batch * kWindow, kWidth);
  return [=](cudaStream_t stream) {
    variable_selection_fwd(x, w, b, batch, kWindow, kFeatures, kWidth, out, stream);
  };
}

auto selection_backward(Traffic& t) -> std::function<void(cudaStream_t)> {
  constexpr int kW = kFeatures * (kFeatures + 2 * kWidth), kB = kFeatures * (1 + 2 * kWidth);
  const int batch = t.rows(kWindow * (kFeatures + kWidth) + kW + kB);
  const float *x = t.reads(batch * kWindow, kFeatures), *w = t.reads(kW), *b = t.reads(kB),
              *grad = t.reads(batch * kWindow, kWidth);
  float *grad_w = t.writes(batch, kW), *grad_b = t.writes(batch, kB);
  return [=](cudaStream_t stream) {
    variable_selection_bwd(x, w, b, grad, batch, kWindow, kFeatures, kWidth, grad_w, grad_b,
                           stream);
  };
}

auto norm_forward(Traffic& t) -> std::function<void(cudaStream_t)> {
  const int rows = t.rows(2 * kWidth + 2);
  const float *x = t.reads(rows, kWidth), *gain = t.reads(kWidth), *bias = t.reads(kWidth);
  float *out = t.writes(rows, kWidth), *mean = t.writes(rows), *rstd = t.writes(rows);
  return [=](cudaStream_t stream) {
    layer_norm_fwd(x, gain, bias, rows, kWidth, kEpsilon, out, mean, rstd, stream);
  };
}

auto norm_backward(Traffic& t) -> std::function<void(cudaStream_t)> {
  const int rows = t.rows(5 * kWidth + 2);
  const float *grad = t.reads(rows, kWidth), *x = t.reads(rows, kWidth), *gain = t.reads(kWidth),
              *mean = t.reads(rows), *rstd = t.reads(rows);
  float *grad_x = t.writes(rows, kWidth), *gain_rows = t.writes(rows, kWidth),
        *bias_rows = t.writes(rows, kWidth);
  return [=](cudaStream_t stream) {
    layer_norm_bwd(grad, x, gain, mean, rstd, rows, kWidth, grad_x, gain_rows, bias_rows, stream);
  };
}

Mamba2Shape mamba_shape(int batch) { return {batch, kWindow, kWidth, 128, 16, 8}; }

Mamba2Parameters mamba_parameters(Traffic& t) {
  const Mamba2Shape s = mamba_shape(1);
  return {t.reads(s.width, s.projected()),
          t.reads(4, s.channels()),
          t.reads(s.channels()),
          t.reads(s.heads),
          t.reads(s.heads),
          t.reads(s.heads),
          t.reads(s.inner, s.width)};
}

auto mamba_forward(Traffic& t) -> std::function<void(cudaStream_t)> {
  const Mamba2Shape one = mamba_shape(1);
  const int batch =
      t.rows(kWindow * (2 * kWidth + one.projected() + one.channels() + 2 * one.inner));
  const Mamba2Shape s = mamba_shape(batch);
  const int rows = batch * kWindow;
  const float* x = t.reads(rows, kWidth);
  const Mamba2Parameters p = mamba_parameters(t);
  const Mamba2Activations a{t.writes(rows, s.projected()), t.writes(rows, s.channels()),
                            t.writes(rows, s.inner), t.writes(rows, s.inner)};
  float* out = t.writes(rows, kWidth);
  return [=](cudaStream_t stream) { mamba2_block_fwd(x, p, s, a, out, stream); };
}

auto mamba_backward(Traffic& t) -> std::function<void(cudaStream_t)> {
  const Mamba2Shape one = mamba_shape(1);
  const int batch =
      t.rows(kWindow * (3 * kWidth + 2 * one.projected() + 2 * one.channels() + 3 * one.inner));
  const Mamba2Shape s = mamba_shape(batch);
  const int rows = batch * kWindow;
  const float *x = t.reads(rows, kWidth), *grad = t.reads(rows, kWidth);
  const Mamba2Parameters p = mamba_parameters(t);
  const Mamba2Activations a{t.reads(rows, s.projected()), t.reads(rows, s.channels()),
                            t.reads(rows, s.inner), t.reads(rows, s.inner)};
  const Mamba2Gradients out{t.writes(rows, kWidth),
                            t.writes(s.width, s.projected()),
                            t.writes(4, s.channels()),
                            t.writes(s.channels()),
                            t.writes(s.heads),
                            t.writes(s.heads),
                            t.writes(s.heads),
                            t.writes(s.inner, s.width),
                            t.writes(rows, s.inner),
                            t.writes(rows, s.channels()),
                            t.writes(rows, s.projected()),
                            t.writes(batch, s.item_scratch())};
  return [=](cudaStream_t stream) { mamba2_block_bwd(x, p, s, a, grad, out, stream); };
}

CfcParameters cfc_parameters(Traffic& t) {
  return {t.reads(kWidth, 3 * kUnits), t.reads(kUnits, 3 * kUnits), t.reads(3 * kUnits),
          t.reads(kUnits)};
}

auto cfc_forward(Traffic& t) -> std::function<void(cudaStream_t)> {
  const int batch = t.rows(kWindow * (kWidth + 4 * kUnits) + kUnits), rows = batch * kWindow;
  const float *x = t.reads(rows, kWidth), *h = t.reads(batch, kUnits);
  const CfcParameters p = cfc_parameters(t);
  float *out = t.writes(rows, kUnits), *gates = t.writes(rows, 3 * kUnits);
  return [=](cudaStream_t stream) {
    cfc_step_forward_batched(x, h, p, batch, kWindow, kWidth, kUnits, out, gates, stream);
  };
}

auto cfc_backward(Traffic& t) -> std::function<void(cudaStream_t)> {
  const int batch = t.rows(kWindow * (2 * kWidth + 8 * kUnits) + 3 * kUnits * (kWidth + kUnits));
  const int rows = batch * kWindow;
  const float *x = t.reads(rows, kWidth), *h = t.reads(batch, kUnits);
  const CfcParameters p = cfc_parameters(t);
  const float *out = t.reads(rows, kUnits), *gates = t.reads(rows, 3 * kUnits),
              *grad_out = t.reads(rows, kUnits);
  const CfcGradients grad{t.writes(rows, kWidth),
                          t.writes(batch, kWidth * 3 * kUnits),
                          t.writes(batch, kUnits * 3 * kUnits),
                          t.writes(batch, 3 * kUnits),
                          t.writes(batch, kUnits),
                          t.writes(rows, 3 * kUnits)};
  return [=](cudaStream_t stream) {
    cfc_step_backward_batched(x, h, p, out, gates, grad_out, batch, kWindow, kWidth, kUnits, grad,
                              stream);
  };
}

auto pool_forward(Traffic& t) -> std::function<void(cudaStream_t)> {
  const int batch = t.rows((kWindow + 1) * kUnits);
  const float *x = t.reads(batch * kWindow, kUnits), *q = t.reads(kUnits);
  float* out = t.writes(batch, kUnits);
  return
      [=](cudaStream_t stream) { attention_pool_fwd(x, q, batch, kWindow, kUnits, out, stream); };
}

auto pool_backward(Traffic& t) -> std::function<void(cudaStream_t)> {
  const int batch = t.rows((2 * kWindow + 2) * kUnits);
  const float *x = t.reads(batch * kWindow, kUnits), *q = t.reads(kUnits),
              *grad = t.reads(batch, kUnits);
  float *grad_x = t.writes(batch * kWindow, kUnits), *grad_q = t.writes(batch, kUnits);
  return [=](cudaStream_t stream) {
    attention_pool_bwd(x, q, grad, batch, kWindow, kUnits, grad_x, grad_q, stream);
  };
}

}  // namespace

std::vector<BandwidthRow> encoder_rows() {
  return {{"variable_selection_fwd", selection_forward},
          {"layer_norm_fwd", norm_forward},
          {"mamba2_block_fwd", mamba_forward},
          {"cfc_step_forward_batched", cfc_forward},
          {"attention_pool_fwd", pool_forward},
          {"attention_pool_bwd", pool_backward},
          {"cfc_step_backward_batched", cfc_backward},
          {"layer_norm_bwd", norm_backward},
          {"mamba2_block_bwd", mamba_backward},
          {"variable_selection_bwd", selection_backward}};
}

}  // namespace foxhunt::test
