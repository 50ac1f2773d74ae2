// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/gemm/gemm.h"
#include "kernels/simt/dialect.h"

namespace foxhunt {

// A Mamba-2 block: a selective state space model in its dual form, in which the scan is a masked
// matrix product. Dao and Gu, "Transformers are SSMs: generalized models and efficient algorithms
// through structured state space duality" (ICML 2024), sections 3, 5 and 7, with one group of B and
// C for all heads and without the normalisation after the gate. Per row t of a window:
//
//   (z, u, r)[t] = x[t] in_proj                         widths E, K = E + 2N, heads
//   (v, B, C)[t] = silu(conv_b + sum over i < 4 of conv_w[i] u[t - 3 + i])   a causal convolution
//   dt[t]        = softplus(r[t] + dt_bias)             per head, as all that follows
//   L[t,s]       = exp(-exp(a_log) (dt[s+1] + ... + dt[t]))   for s <= t; L[t,t] = 1
//   y[t]         = sum over s <= t of (C[t] . B[s]) L[t,s] dt[s] v[s]  +  d v[t]
//   out[t]       = (y[t] * silu(z[t])) out_proj
//
// which is the recurrence S[t] = exp(-exp(a_log) dt[t]) S[t-1] + dt[t] B[t] v[t]', y[t] = C[t]'
// S[t], written out. The exponents are summed segment by segment (section 6 of the paper), not as
// differences of running sums, which would cancel. A window is one chunk, of which a block keeps
// T (4 + E/heads + 3T) floats in 48 KiB: T is up to 60 with heads of 16, up to 53 with heads of 64.
// A window too long, or heads that do not divide E, are an Error (bad_argument).
//
// Determinism: that of gemm() (site "mamba2") for the projections, whose gradients at the weights
// sum over all B T rows; gpu_to_gpu for everything else and, with own_gemm, for all of it. Every
// sum has one owner, which adds in index order by fused multiply-adds.

struct Mamba2Shape {
  int batch, window;  // B, T
  int width;          // D, of the trunk
  int inner;          // E, a multiple of heads
  int state;          // N
  int heads;
  __host__ __device__ int channels() const { return inner + 2 * state; }  // K: v, B, C side by side
  __host__ __device__ int projected() const { return inner + channels() + heads; }
  __host__ __device__ int head() const { return inner / heads; }
  // Floats of Mamba2Gradients::item_scratch for one batch item.
  __host__ __device__ int item_scratch() const { return 5 * channels() + 3 * heads; }
};

// All on the device, row-major.
struct Mamba2Parameters {
  const float* in_proj;   // [D, E + K + heads]
  const float* conv_w;    // [4,K], tap 3 for the row itself
  const float* conv_b;    // [K]
  const float* dt_bias;   // [heads]
  const float* a_log;     // [heads]
  const float* d;         // [heads]
  const float* out_proj;  // [E,D]
};

// What the forward leaves for the backward, on the device.
struct Mamba2Activations {
  float* projected;  // [B,T,E+K+heads]: z, u, r
  float* convolved;  // [B,T,K]: v, B, C
  float* scanned;    // [B,T,E]: y
  float* gated;      // [B,T,E]: y * silu(z)
};

// Those of gemm(), in the order of the registry's row.
using Mamba2Variant = GemmVariant;

// Queues the forward on `stream`, as every call here does, without waiting for it.
//
// x            device [B,T,D], read
// activations  device, overwritten
// mamba2_out   device [B,T,D], overwritten
void mamba2_block_fwd(const float* x, const Mamba2Parameters& parameters, const Mamba2Shape& shape,
                      const Mamba2Activations& activations, float* mamba2_out, cudaStream_t stream,
                      Mamba2Variant variant = Mamba2Variant::deterministic);

// Where the backward puts its gradients, all on the device and overwritten: those at the parameters
// are summed over the batch; the last four are work space worth looking at.
struct Mamba2Gradients {
  float* x;  // [B,T,D]
  float* in_proj;
  float* conv_w;
  float* conv_b;
  float* dt_bias;
  float* a_log;
  float* d;
  float* out_proj;
  float* gated;         // [B,T,E]
  float* convolved;     // [B,T,K]
  float* projected;     // [B,T,E+K+heads]
  float* item_scratch;  // [B, 5K + 3 heads]: each item's conv_w, conv_b, dt_bias, a_log, d
};

// The gradients of a loss from `grad_out` [B,T,D], its gradient at mamba2_out; `activations` as the
// forward left them.
void mamba2_block_bwd(const float* x, const Mamba2Parameters& parameters, const Mamba2Shape& shape,
                      const Mamba2Activations& activations, const float* grad_out,
                      const Mamba2Gradients& grad, cudaStream_t stream,
                      Mamba2Variant variant = Mamba2Variant::deterministic);

}  // namespace foxhunt
