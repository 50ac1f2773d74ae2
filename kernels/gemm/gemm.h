// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "kernels/simt/dialect.h"

namespace foxhunt {

// On disk by name, in the order of the registry's row: never renumber.
enum class GemmVariant {
  deterministic,
  split_k_atomic,           // slices of k added into C by float atomics, in arrival order
  cublas_not_pedantic,      // CUDA only: cuBLAS may use TF32 and reordered reductions
  cublas_shared_workspace,  // CUDA only: one workspace for handles on several streams
};

// One operand as it lies in memory: row-major, `stride` elements from one row to the next. When
// transposed, the product reads its transpose: op(A)[i][p] is then data[p * stride + i].
struct GemmOperand {
  const float* data;
  int stride;
  bool transposed = false;
};

// C[m,n] = alpha * op(A)[m,k] * op(B)[k,n] + beta * C + bias[n], everything in f32.
//
// c     device, row-major, c_stride elements from row to row; overwritten, and read only if
//       beta != 0 (so garbage there, NaN too, is no harm when beta is 0); overlaps no operand
// bias  device [n], added to each row, or null
// site  which product of the trainer this is: "mamba2", "dqn", "iqn"; named in cuBLAS's log line
//
// m, n and k may be 0; with k = 0 the product is 0.
//
// batch products of one shape at once: the operands of product i begin i * (a, b, c)_batch elements
// after those of the first; they share the bias.
struct Gemm {
  const char* site;
  int m, n, k;
  GemmOperand a, b;
  float* c;
  int c_stride;
  float alpha = 1.0f, beta = 0.0f;
  const float* bias = nullptr;
  int batch = 1;
  std::ptrdiff_t a_batch = 0, b_batch = 0, c_batch = 0;
};

// Queues the product on `stream`; returns without waiting for it.
//
// On the executor this is own_gemm; under CUDA it is cublas_gemm (cublas_gemm.h) unless
// use_own_gemm(true) was called. `split_k_atomic` is own_gemm's in both.
//
// Determinism: own_gemm gpu_to_gpu; cuBLAS run_to_run (same GPU model, library and workspace).
//
// A variant of cuBLAS throws std::invalid_argument where there is no CUDA.
void gemm(const Gemm& problem, cudaStream_t stream,
          GemmVariant variant = GemmVariant::deterministic);

// The register-tiled kernel of this project.
//
// Determinism: gpu_to_gpu. One thread owns an element of C and adds its k products in index order,
// each by one fused multiply-add onto an accumulator that starts at +0; nothing about schedules,
// tiles, alignment or the GPU's model changes that order. Then alpha * sum is rounded, beta * C is
// added by one fma (if beta != 0), and bias is added.
//
// Tiling as in Volkov and Demmel, "Benchmarking GPUs to tune dense linear algebra" (SC 2008):
// 64 threads a block, 8x8 elements a thread, operands staged through shared memory.
void own_gemm(const Gemm& problem, cudaStream_t stream,
              GemmVariant variant = GemmVariant::deterministic);

// Makes gemm() use own_gemm under CUDA too, for the process from now on; no effect elsewhere.
void use_own_gemm(bool own);

}  // namespace foxhunt
