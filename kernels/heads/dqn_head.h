// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/gemm/gemm.h"
#include "kernels/simt/dialect.h"

namespace foxhunt {

// Which product runs: the registry's row of dqn_head_fwd is that of the GEMM.
using DqnHeadVariant = GemmVariant;

// Writes q_logits[B,A,Z] = noisy_hidden w + b, the logits of a return distribution for each action
// (C51: Bellemare, Dabney and Munos, "A Distributional Perspective on Reinforcement Learning", ICML
// 2017). Its gradients are in dqn_grad.h.
//
// Determinism: that of kernels/gemm at the site "dqn": gpu_to_gpu by our own kernel, run_to_run by
// cuBLAS.
//
// noisy_hidden  device, f32 [B,H]
// w, b          device, f32 [H,A,Z], [A,Z]
// q_logits      device, f32 [B,A,Z]; overwritten
// stream        the work is queued here; the call returns without waiting for it
void dqn_head_fwd(const float* noisy_hidden, const float* w, const float* b, int batch, int hidden,
                  int actions, int atoms, float* q_logits, cudaStream_t stream,
                  DqnHeadVariant variant = DqnHeadVariant::deterministic);

}  // namespace foxhunt
