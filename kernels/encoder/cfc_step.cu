// SPDX-License-Identifier: MIT
#include <cstddef>

#include "kernels/encoder/cfc_step.h"
#include "kernels/encoder/limits.h"
#include "kernels/gemm/gemm.h"
#include "kernels/math/elementary.h"

namespace foxhunt {
namespace {

constexpr int kThreads = 64;
constexpr int kMostHidden = 256;
constexpr int kItems = 8;  // batch items of a block; innermost in shared memory

using Unit = float[kItems];  // one hidden unit of the block's batch items

// What a block of a recurrent kernel works on.
struct Block {
  int first, items;  // batch items
  int window, hidden;
  // The element of a [B,T,width] buffer where item i's step t begins.
  __device__ std::ptrdiff_t row(int i, int t, int width) const {
    return (static_cast<std::ptrdiff_t>(first + i) * window + t) * width;
  }
};

__device__ Block block_of(int batch, int window, int hidden) {
  const int first = static_cast<int>(blockIdx.x) * kItems;
  return {first, min(kItems, batch - first), window, hidden};
}

// `gates` holds x w_in + b on entry, f, tanh(g) and tanh(c) on exit.
__global__ void __launch_bounds__(kThreads)
    cfc_forward_kernel(const float* h_t, const float* w_rec, const float* tau, int batch,
                       int window, int hidden, float* out, float* gates) {
  FOXHUNT_DYNAMIC_SHARED(float, shared);
  Unit* h = reinterpret_cast<Unit*>(shared);  // the state before the step [hidden]
  Unit* next = h + hidden;                    // and after it
  const Block block = block_of(batch, window, hidden);
  for (int j = static_cast<int>(threadIdx.x); j < hidden; j += kThreads) {
    for (int i = 0; i < kItems; i++) {
      h[j][i] =
          i < block.items ? h_t[static_cast<std::ptrdiff_t>(block.first + i) * hidden + j] : 0.0f;
    }
  }
  __syncthreads();
  for (int t = 0; t < window; t++) {
    for (int j = static_cast<int>(threadIdx.x); j < hidden; j += kThreads) {
      Unit f = {}, g = {}, c = {};
      for (int i = 0; i < block.items; i++) {
        const float* from_x = gates + block.row(i, t, 3 * hidden) + j;
        f[i] = from_x[0];
        g[i] = from_x[hidden];
        c[i] = from_x[2 * hidden];
      }
      for (int k = 0; k < hidden; k++) {
        const float* w = w_rec + k * 3 * hidden + j;
        const float wf = w[0], wg = w[hidden], wc = w[2 * hidden];
        for (int i = 0; i < kItems; i++) f[i] = math::fma(h[k][i], wf, f[i]);
        for (int i = 0; i < kItems; i++) g[i] = math::fma(h[k][i], wg, g[i]);
        for (int i = 0; i < kItems; i++) c[i] = math::fma(h[k][i], wc, c[i]);
      }
      for (int i = 0; i < block.items; i++) {
        const float s = math::sigmoid(-(f[i] * tau[j]));
        const float tanh_g = math::tanh(g[i]), tanh_c = math::tanh(c[i]);
        next[j][i] = math::fma(s, tanh_g, (1.0f - s) * tanh_c);
        out[block.row(i, t, hidden) + j] = next[j][i];
        float* gate = gates + block.row(i, t, 3 * hidden) + j;
        gate[0] = f[i];
        gate[hidden] = tanh_g;
        gate[2 * hidden] = tanh_c;
      }
      for (int i = block.items; i < kItems; i++) next[j][i] = 0.0f;
    }
    __syncthreads();
    Unit* const before = h;
    h = next;
    next = before;
  }
}

// The gradients at the gates, and each item's at tau; steps from the last to the first.
__global__ void __launch_bounds__(kThreads)
    cfc_backward_kernel(const float* w_rec, const float* tau, const float* gates,
                        const float* grad_out, int batch, int window, int hidden, float* grad_gates,
                        float* grad_tau) {
  FOXHUNT_DYNAMIC_SHARED(float, shared);
  Unit* at_gates = reinterpret_cast<Unit*>(shared);  // [3 * hidden]
  Unit* at_h = at_gates + 3 * hidden;                // [hidden], each its thread's own
  Unit* at_tau = at_h + hidden;                      // likewise
  const Block block = block_of(batch, window, hidden);
  for (int j = static_cast<int>(threadIdx.x); j < hidden; j += kThreads) {
    for (int i = 0; i < kItems; i++) at_h[j][i] = at_tau[j][i] = 0.0f;
  }
  for (int t = window - 1; t >= 0; t--) {
    for (int j = static_cast<int>(threadIdx.x); j < hidden; j += kThreads) {
      for (int i = 0; i < kItems; i++) {
        float df = 0.0f, dg = 0.0f, dc = 0.0f;
        if (i < block.items) {
          const float* gate = gates + block.row(i, t, 3 * hidden) + j;
          const float f = gate[0], tanh_g = gate[hidden], tanh_c = gate[2 * hidden];
          const float s = math::sigmoid(-(f * tau[j]));
          const float dh = at_h[j][i] + grad_out[block.row(i, t, hidden) + j];
          const float at_exponent = dh * (tanh_g - tanh_c) * (s * (1.0f - s));  // at -f tau
          df = -(at_exponent * tau[j]);
          dg = dh * s * (1.0f - tanh_g * tanh_g);
          dc = dh * (1.0f - s) * (1.0f - tanh_c * tanh_c);
          at_tau[j][i] -= at_exponent * f;
          float* to = grad_gates + block.row(i, t, 3 * hidden) + j;
          to[0] = df;
          to[hidden] = dg;
          to[2 * hidden] = dc;
        }
        at_gates[j][i] = df;
        at_gates[hidden + j][i] = dg;
        at_gates[2 * hidden + j][i] = dc;
      }
    }
    __syncthreads();
    for (int k = static_cast<int>(threadIdx.x); k < hidden; k += kThreads) {
      Unit sum = {};
      for (int j = 0; j < 3 * hidden; j++) {
        const float w = w_rec[k * 3 * hidden + j];
        for (int i = 0; i < kItems; i++) sum[i] = math::fma(at_gates[j][i], w, sum[i]);
      }
      for (int i = 0; i < kItems; i++) at_h[k][i] = sum[i];
    }
    __syncthreads();
  }
  for (int j = static_cast<int>(threadIdx.x); j < hidden; j += kThreads) {
    for (int i = 0; i < block.items; i++) {
      grad_tau[static_cast<std::ptrdiff_t>(block.first + i) * hidden + j] = at_tau[j][i];
    }
  }
}

// grad_b[b, j] = the sum over t of grad_gates[b, t, j], in index order.
__global__ void __launch_bounds__(kThreads)
    cfc_bias_kernel(const float* grad_gates, int window, int width, float* grad_b) {
  const float* rows = grad_gates + static_cast<std::ptrdiff_t>(blockIdx.x) * window * width;
  for (int j = static_cast<int>(threadIdx.x); j < width; j += kThreads) {
    float sum = 0.0f;
    for (int t = 0; t < window; t++) sum += rows[t * width + j];
    grad_b[static_cast<std::ptrdiff_t>(blockIdx.x) * width + j] = sum;
  }
}

// The bug: a block per step adds to its batch item's bias gradient by float atomics, so the steps
// are summed in the order in which their blocks come.
__global__ void __launch_bounds__(kThreads)
    cfc_bias_by_atomics_kernel(const float* grad_gates, int window, int width, float* grad_b) {
  const auto row = static_cast<std::ptrdiff_t>(blockIdx.x);
  for (int j = static_cast<int>(threadIdx.x); j < width; j += kThreads) {
    atomicAdd(grad_b + row / window * width + j, grad_gates[row * width + j]);
  }
}

// The gradients at w_in and w_rec: products over the window, a batch of small matrices.
void weight_gradients(const float* x, const float* h_t, const float* out, int batch, int window,
                      int inputs, int hidden, const CfcGradients& grad, GemmVariant variant,
                      cudaStream_t stream) {
  const int width = 3 * hidden;
  Gemm w_in{"cfc", inputs, width, window, {x, inputs, true}, {grad.gates, width}, grad.w_in_scratch,
            width};
  w_in.batch = batch;
  w_in.a_batch = std::ptrdiff_t{window} * inputs;
  w_in.b_batch = std::ptrdiff_t{window} * width;
  w_in.c_batch = std::ptrdiff_t{inputs} * width;
  own_gemm(w_in, stream, variant);
  // The first step's state before it is h_t, each later step's is the output before.
  Gemm first{"cfc", hidden, width, 1, {h_t, hidden, true}, {grad.gates, width}, grad.w_rec_scratch,
             width};
  first.batch = batch;
  first.a_batch = hidden;
  first.b_batch = std::ptrdiff_t{window} * width;
  first.c_batch = std::ptrdiff_t{hidden} * width;
  own_gemm(first, stream);
  Gemm later = first;
  later.k = window - 1;
  later.a.data = out;
  later.a_batch = std::ptrdiff_t{window} * hidden;
  later.b.data = grad.gates + width;
  later.beta = 1.0f;
  own_gemm(later, stream, variant);
}

dim3 blocks(int count) { return dim3(static_cast<unsigned>(count)); }

std::size_t units(int count) { return static_cast<std::size_t>(count) * sizeof(Unit); }

}  // namespace

void cfc_step_forward_batched(const float* x, const float* h_t, const CfcParameters& parameters,
                              int batch, int window, int inputs, int hidden, float* cfc_out,
                              float* cfc_gates, cudaStream_t stream) {
  if (batch <= 0 || window <= 0) return;
  require_at_most("cfc_step_forward_batched", "the hidden size", hidden, kMostHidden);
  Gemm from_x{"cfc",     batch * window, 3 * hidden,
              inputs,    {x, inputs},    {parameters.w_in, 3 * hidden},
              cfc_gates, 3 * hidden};
  from_x.bias = parameters.b;
  own_gemm(from_x, stream);
  foxhunt::launch(cfc_forward_kernel, blocks((batch + kItems - 1) / kItems), dim3(kThreads),
                  units(2 * hidden), stream, h_t, parameters.w_rec, parameters.tau, batch, window,
                  hidden, cfc_out, cfc_gates);
}

void cfc_step_backward_batched(const float* x, const float* h_t, const CfcParameters& parameters,
                               const float* cfc_out, const float* cfc_gates, const float* grad_out,
                               int batch, int window, int inputs, int hidden,
                               const CfcGradients& grad, cudaStream_t stream,
                               CfcBackwardVariant variant) {
  if (batch <= 0 || window <= 0) return;
  require_at_most("cfc_step_backward_batched", "the hidden size", hidden, kMostHidden);
  const int width = 3 * hidden;
  foxhunt::launch(cfc_backward_kernel, blocks((batch + kItems - 1) / kItems), dim3(kThreads),
                  units(5 * hidden), stream, parameters.w_rec, parameters.tau, cfc_gates, grad_out,
                  batch, window, hidden, grad.gates, grad.tau_scratch);
  own_gemm({"cfc",
            batch * window,
            inputs,
            width,
            {grad.gates, width},
            {parameters.w_in, width, true},
            grad.x,
            inputs},
           stream);
  if (variant == CfcBackwardVariant::float_atomics) {
    cudaMemsetAsync(grad.b_scratch, 0, static_cast<std::size_t>(batch * width) * sizeof(float),
                    stream);
    foxhunt::launch(cfc_bias_by_atomics_kernel, blocks(batch * window), dim3(kThreads), 0, stream,
                    grad.gates, window, width, grad.b_scratch);
    weight_gradients(x, h_t, cfc_out, batch, window, inputs, hidden, grad,
                     GemmVariant::split_k_atomic, stream);
    return;
  }
  foxhunt::launch(cfc_bias_kernel, blocks(batch), dim3(kThreads), 0, stream, grad.gates, window,
                  width, grad.b_scratch);
  weight_gradients(x, h_t, cfc_out, batch, window, inputs, hidden, grad, GemmVariant::deterministic,
                   stream);
}

}  // namespace foxhunt
