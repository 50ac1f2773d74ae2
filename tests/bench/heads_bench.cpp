// SPDX-License-Identifier: MIT
// What the heads' kernels cost on the CPU executor, in order, plain build: time of the processor.
#include <fmt/format.h>

#include <cstring>

#include "kernels/heads/act_sample.h"
#include "kernels/heads/bellman_target.h"
#include "kernels/heads/dqn_grad.h"
#include "kernels/heads/dqn_head.h"
#include "kernels/heads/dueling_compose.h"
#include "kernels/heads/iqn_grad.h"
#include "kernels/heads/label_heads.h"
#include "kernels/heads/pi_head.h"
#include "kernels/heads/v_head.h"
#include "tests/bench/kernel_timing.h"

namespace foxhunt::bench {
namespace {

// All zeros: action 0, label 0, seed and step 0.
template <class T>
const T* zeros(Memory& memory, int size) {
  float* p = memory.floats(size, static_cast<int>(sizeof(T) / sizeof(float)));
  cudaMemset(p, 0, static_cast<std::size_t>(size) * sizeof(T));
  return reinterpret_cast<const T*>(p);
}

void measure_heads(int batch, int hidden, int fractions) {
  constexpr int kActions = 4, kAtoms = 51, kBins = 21;
  constexpr ValueSupport kSupport{-10.0f, 10.0f, kAtoms};
  fmt::print("batch {}, hidden {}, {} actions, {} atoms, {} fractions and cosines:\n", batch,
             hidden, kActions, kAtoms, fractions);
  Memory memory;
  const int* actions = zeros<int>(memory, batch);
  const auto* rng = zeros<std::uint64_t>(memory, 2);
  float* h = memory.floats(batch, hidden);
  float* rows = memory.floats(batch);
  float* grad_h = memory.floats(batch, hidden);
  float* q_logits = memory.floats(batch, kActions, kAtoms);
  float* target = memory.floats(batch, kAtoms);
  float* logits = memory.floats(batch, kBins);
  float* grad_logits = memory.floats(batch, kBins);
  float* w = memory.floats(hidden, kActions, kAtoms);
  float* b = memory.floats(kActions, kAtoms);
  float* grad_w = memory.floats(hidden, kActions, kAtoms);
  float* grad_b = memory.floats(kActions, kAtoms);

  const NoisyLinear layer{memory.floats(hidden, hidden),
                          memory.floats(hidden, hidden),
                          memory.floats(hidden),
                          memory.floats(hidden),
                          hidden,
                          hidden};
  float* eps = memory.floats(2 * hidden);
  float* noisy = memory.floats(batch, hidden);
  tell("rl_noisy_reset_noise", [&] { rl_noisy_reset_noise(rng, 2 * hidden, eps, nullptr); });
  tell("rl_noisy_linear_forward",
       [&] { rl_noisy_linear_forward(h, layer, eps, batch, noisy, nullptr); });
  tell("dqn_head_fwd",
       [&] { dqn_head_fwd(noisy, w, b, batch, hidden, kActions, kAtoms, q_logits, nullptr); });
  const DqnGradOutputs grad{
      rows, memory.floats(batch, kAtoms), memory.floats(batch, hidden), grad_h, grad_w, grad_b};
  tell("dqn_grad_w_b_h_t", [&] {
    dqn_grad_w_b_h_t({q_logits, target, rows, actions, noisy, w, layer, eps, nullptr}, batch,
                     kActions, kAtoms, grad, nullptr);
  });
  float* grad_mu = memory.floats(hidden, hidden);
  float* grad_sigma = memory.floats(hidden, hidden);
  tell("dqn_grad_w_b_h_t, noisy layer", [&] {
    dqn_grad_noisy(h, grad.grad_noisy_hidden, layer, eps, batch, grad_mu, grad_sigma, grad_b,
                   grad_w, nullptr);
  });
  float* td_error = memory.floats(batch);
  tell("bellman_target_projection", [&] {
    bellman_target_projection({q_logits, rows, rows, rows, rows}, batch, kActions, kSupport, 0.99f,
                              target, td_error, nullptr);
  });
  tell("dueling_compose",
       [&] { dueling_compose(q_logits, rows, batch, kActions, kSupport, logits, nullptr); });

  const IqnShape shape{batch, hidden, kActions, fractions, fractions};
  const IqnWeights weights{memory.floats(fractions, hidden), memory.floats(hidden), w, b};
  const IqnActivations activations{
      memory.floats(batch, fractions), memory.floats(batch, fractions, fractions),
      memory.floats(batch, fractions, hidden), memory.floats(batch, fractions, kActions), nullptr};
  tell("rl_iqn_forward",
       [&] { rl_iqn_forward(h, rng, weights, shape, activations, logits, nullptr); });
  const IqnGradInputs in{h, target, actions, weights, activations, kSupport, 1.0f};
  const IqnGradOutputs out{rows, memory.floats(batch, fractions), memory.floats(batch, hidden),
                           grad_h};
  tell("iqn_bwd_relu_hadamard", [&] { iqn_bwd_relu_hadamard(in, shape, out, nullptr); });
  const IqnWeightGradients to{memory.floats(batch, fractions, hidden),
                              memory.floats(fractions, hidden), memory.floats(hidden), grad_w,
                              grad_b};
  tell("iqn_bwd_relu_hadamard, weights", [&] { iqn_bwd_weights(in, shape, out, to, nullptr); });

  tell("pi_head_fwd", [&] { pi_head_fwd(h, w, b, batch, hidden, kActions, logits, nullptr); });
  tell("act_sample", [&] {
    act_sample(logits, rng, batch, kActions, reinterpret_cast<int*>(grad_b), rows, nullptr);
  });
  tell("pi_head_bwd, both", [&] {
    pi_head_bwd({logits, actions, rows, rows}, w, batch, hidden, kActions, {0.2f, 0.01f}, noisy,
                grad_logits, grad_h, nullptr);
    pi_head_bwd_weights(h, grad_logits, batch, hidden, kActions, grad_w, grad_b, nullptr);
  });
  tell("v_head_fwd", [&] { v_head_fwd(h, w, b, batch, hidden, rows, nullptr); });
  tell("v_head_bwd, both", [&] {
    v_head_bwd(rows, target, w, batch, hidden, kSupport, noisy, grad_logits, grad_h, nullptr);
    v_head_bwd_weights(h, grad_logits, batch, hidden, grad_w, grad_b, nullptr);
  });
  tell("frd_head_fwd", [&] { frd_head_fwd(h, w, b, batch, hidden, kBins, logits, nullptr); });
  tell("frd_head_bwd, both", [&] {
    frd_head_bwd(logits, actions, w, batch, hidden, kBins, rows, grad_logits, grad_h, nullptr);
    frd_head_bwd_weights(h, grad_logits, batch, hidden, kBins, grad_w, grad_b, nullptr);
  });
}

}  // namespace
}  // namespace foxhunt::bench

int main(int argc, char** argv) {
  using namespace foxhunt::bench;
  if (argc > 1 && std::strcmp(argv[1], "--quick") == 0) {
    repetitions = 1;
    measure_heads(2, 8, 3);
    return 0;
  }
  measure_heads(64, 64, 32);
  measure_heads(8, 16, 8);
}
