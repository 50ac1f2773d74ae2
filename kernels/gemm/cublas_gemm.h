// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/gemm/gemm.h"

namespace foxhunt {

// gemm() by cuBLAS; defined only in the CUDA build of the kernels.
//
// Determinism: run_to_run. cuBLAS promises the same bits for the same call on the same GPU model
// and library, if one handle does not serve several streams from one workspace ("Results
// reproducibility" in its manual). So each (device, stream) has a handle and a workspace of its
// own, set with cublasSetWorkspace after cublasSetStream (which would take it away again), atomics
// are not allowed, and the math mode is CUBLAS_PEDANTIC_MATH: no TF32, every operation in f32.
//
// The mode is then read back from the handle, and said on stderr whenever it is new for this site:
//
//   [cublas_determinism] site=mamba2 math_mode=CUBLAS_PEDANTIC_MATH workspace_bytes=33554432
//
// Variants:
//   cublas_not_pedantic      CUBLAS_TF32_TENSOR_OP_MATH: products lose 13 bits of their operands
//   cublas_shared_workspace  all streams' handles work in one workspace, and may overwrite each
//                            other's partial sums there
//
// Handles and workspaces live until the process ends. Throws Error(device) if cuBLAS refuses a
// call.
void cublas_gemm(const Gemm& problem, cudaStream_t stream, GemmVariant variant);

}  // namespace foxhunt
