// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/heads/value_support.h"
#include "kernels/simt/dialect.h"

namespace foxhunt {

// Writes q[b,a] = v[b] + E[b,a] - mean over a' of E[b,a'], where E[b,a] is the mean of the return
// distribution q_logits[b,a,:]: the dueling composition of Wang et al., "Dueling Network
// Architectures for Deep Reinforcement Learning" (ICML 2016, equation 9), with the C51 head as the
// advantage stream. The trainer's losses do not read it, so it has no backward.
//
// Determinism: gpu_to_gpu. A thread owns a row's expectations, and adds them in index order.
//
// q_logits  device, f32 [B,A,Z]
// v         device, f32 [B]
// q         device, f32 [B,A]; overwritten
// stream    the work is queued here; the call returns without waiting for it
//
// actions <= 64.
void dueling_compose(const float* q_logits, const float* v, int batch, int actions,
                     ValueSupport support, float* q, cudaStream_t stream);

}  // namespace foxhunt
