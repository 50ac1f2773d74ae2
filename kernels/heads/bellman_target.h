// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/heads/value_support.h"
#include "kernels/simt/dialect.h"

namespace foxhunt {

// In the order of the registry's row.
enum class BellmanTargetVariant {
  deterministic,
  scatter_atomics,
};

// All on the device, f32 and row-major unless said. B batch, A actions (at most 64), Z atoms.
struct BellmanInputs {
  const float* target_q_logits;  // [B,A,Z] of the target network at the next state
  const float* target_v;         // [B]     of the target network at the next state
  const float* v_pred;           // [B]     of the online network at the sampled state
  const float* rewards;          // [B]
  const float* dones;            // [B]     1 where the episode ended, else 0
};

// The categorical Bellman target of C51 (Bellemare, Dabney and Munos, "A Distributional Perspective
// on Reinforcement Learning", ICML 2017, algorithm 1), and a scalar error.
//
//   a*             = the action of the largest mean of target_q_logits[b,:,:], the first of equals
//   bellman_target = the distribution of r + discount (1 - done) Z(a*), each atom's probability
//                    shared between the two atoms next to where it lands within [v_min, v_max]
//   td_error       = r + discount (1 - done) target_v - v_pred
//
// As in double DQN (van Hasselt, Guez and Silver, AAAI 2016) the network that is updated does not
// rate the action that it is updated with. It is the target network that both picks and rates a*,
// because nothing computes online logits at the next state.
//
// The scalar error is the TD(0) error of the state's value (Sutton and Barto, "Reinforcement
// Learning: An Introduction", 2nd edition, 2018, section 6.1): it says how much better the action
// was than expected, which the policy learns from (section 13.5), and it sets priorities.
//
// bellman_target  [B,Z]; overwritten. Each row sums to 1.
// td_error        [B]; overwritten
// stream          the work is queued here; the call returns without waiting for it
//
// Determinism: gpu_to_gpu. A thread owns an atom of the target and gathers what lands near it by
// ascending source atom; no two threads add to one place.
void bellman_target_projection(const BellmanInputs& in, int batch, int actions,
                               ValueSupport support, float discount, float* bellman_target,
                               float* td_error, cudaStream_t stream,
                               BellmanTargetVariant variant = BellmanTargetVariant::deterministic);

}  // namespace foxhunt
