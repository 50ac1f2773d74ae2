// SPDX-License-Identifier: MIT
#include "kernels/heads/act_sample.h"
#include "kernels/heads/bellman_target.h"
#include "kernels/heads/dqn_grad.h"
#include "kernels/heads/dqn_head.h"
#include "kernels/heads/dueling_compose.h"
#include "kernels/heads/iqn.h"
#include "kernels/heads/iqn_grad.h"
#include "kernels/heads/label_heads.h"
#include "kernels/heads/mean_of_rows.h"
#include "kernels/heads/noisy_linear.h"
#include "kernels/heads/pi_head.h"
#include "kernels/heads/v_head.h"
#include "tests/gpu/bandwidth/traffic.h"

namespace foxhunt::test {
namespace {

using HeadCall = std::function<void(cudaStream_t)>;

constexpr int kHidden = 64, kActions = 8, kAtoms = 51, kQuantiles = 16, kClasses = 16;
constexpr int kLogits = kActions * kAtoms;
constexpr ValueSupport kSupport{-1.0f, 1.0f, kAtoms};

const std::uint64_t* rng(Traffic& t) {
  return reinterpret_cast<const std::uint64_t*>(t.reads_ints(4));
}

HeadCall sample_actions(Traffic& t) {
  const int envs = t.rows(kActions + 2);
  const float* logits = t.reads(envs, kActions);
  const std::uint64_t* counters = rng(t);
  int* actions = t.writes_ints(envs);
  float* log_pi = t.writes(envs);
  return [=](cudaStream_t stream) {
    act_sample(logits, counters, envs, kActions, actions, log_pi, stream);
  };
}

NoisyLinear noisy_layer(Traffic& t, int in, int out) {
  return {t.reads(in, out), t.reads(in, out), t.reads(out), t.reads(out), in, out};
}

HeadCall draw_noise(Traffic& t) {
  const int count = t.rows(1);
  const std::uint64_t* counters = rng(t);
  float* eps = t.writes(count);
  return [=](cudaStream_t stream) { rl_noisy_reset_noise(counters, count, eps, stream); };
}

HeadCall noisy_forward(Traffic& t) {
  const int batch = t.rows(2 * kHidden);
  const float* x = t.reads(batch, kHidden);
  const NoisyLinear layer = noisy_layer(t, kHidden, kHidden);
  float *eps = t.reads(2 * kHidden), *y = t.writes(batch, kHidden);
  return [=](cudaStream_t stream) { rl_noisy_linear_forward(x, layer, eps, batch, y, stream); };
}

HeadCall q_forward(Traffic& t) {
  const int batch = t.rows(kHidden + kLogits);
  const float *x = t.reads(batch, kHidden), *w = t.reads(kHidden, kLogits), *b = t.reads(kLogits);
  float* logits = t.writes(batch, kLogits);
  return [=](cudaStream_t stream) {
    dqn_head_fwd(x, w, b, batch, kHidden, kActions, kAtoms, logits, stream);
  };
}

HeadCall bellman(Traffic& t) {
  const int batch = t.rows(kLogits + kAtoms + 5);
  const float *target_logits = t.reads(batch, kLogits), *target_v = t.reads(batch),
              *v = t.reads(batch), *rewards = t.reads(batch), *dones = t.reads(batch);
  float *target = t.writes(batch, kAtoms), *error = t.writes(batch);
  return [=](cudaStream_t stream) {
    bellman_target_projection({target_logits, target_v, v, rewards, dones}, batch, kActions,
                              kSupport, 0.9f, target, error, stream);
  };
}

HeadCall compose(Traffic& t) {
  const int batch = t.rows(kLogits + 1 + kActions);
  const float *logits = t.reads(batch, kLogits), *v = t.reads(batch);
  float* q = t.writes(batch, kActions);
  return [=](cudaStream_t stream) {
    dueling_compose(logits, v, batch, kActions, kSupport, q, stream);
  };
}

HeadCall q_backward(Traffic& t) {
  const int batch = t.rows(3 * kAtoms + 5 * kHidden + 3);
  t.reads(batch, kAtoms);
  const float *logits = t.scratch(batch, kLogits), *target = t.reads(batch, kAtoms),
              *weight = t.reads(batch);
  const int* actions = t.reads_ints(batch);
  const float *hidden = t.reads(batch, kHidden), *w = t.reads(kHidden, kLogits);
  const NoisyLinear layer = noisy_layer(t, kHidden, kHidden);
  const float *eps = t.reads(2 * kHidden), *from_iqn = t.reads(batch, kHidden);
  const DqnGradInputs in{logits, target, weight, actions, hidden, w, layer, eps, from_iqn};
  const DqnGradOutputs out{
      t.writes(batch),          t.writes(batch, kAtoms),    t.writes(batch, kHidden),
      t.writes(batch, kHidden), t.writes(kHidden, kLogits), t.writes(kLogits)};
  return [=](cudaStream_t stream) { dqn_grad_w_b_h_t(in, batch, kActions, kAtoms, out, stream); };
}

HeadCall noisy_backward(Traffic& t) {
  const int batch = t.rows(2 * kHidden);
  const float *h = t.reads(batch, kHidden), *grad = t.reads(batch, kHidden);
  const NoisyLinear layer = noisy_layer(t, kHidden, kHidden);
  const float* eps = t.reads(2 * kHidden);
  float *w_mu = t.writes(kHidden, kHidden), *w_sigma = t.writes(kHidden, kHidden),
        *b_mu = t.writes(kHidden), *b_sigma = t.writes(kHidden);
  return [=](cudaStream_t stream) {
    dqn_grad_noisy(h, grad, layer, eps, batch, w_mu, w_sigma, b_mu, b_sigma, stream);
  };
}

IqnShape iqn_shape(int batch) { return {batch, kHidden, kActions, kQuantiles, kQuantiles}; }
IqnWeights iqn_weights(Traffic& t) {
  return {t.reads(kQuantiles, kHidden), t.reads(kHidden), t.reads(kHidden, kActions),
          t.reads(kActions)};
}

HeadCall iqn_forward(Traffic& t) {
  const int batch = t.rows(kHidden + kQuantiles * (1 + kQuantiles + kHidden + kActions));
  const int fractions = batch * kQuantiles;
  const float* h = t.reads(batch, kHidden);
  const std::uint64_t* counters = rng(t);
  const IqnWeights weights = iqn_weights(t);
  const IqnActivations out{t.writes(fractions), t.writes(fractions, kQuantiles),
                           t.writes(fractions, kHidden), t.writes(fractions, kActions), nullptr};
  float* q = t.writes(batch, kActions);
  return [=](cudaStream_t stream) {
    rl_iqn_forward(h, counters, weights, iqn_shape(batch), out, q, stream);
  };
}

// The backward reads neither the cosines nor the quantiles of the actions not taken; the weights'
// gradients need the cosines.
IqnGradInputs iqn_inputs(Traffic& t, int batch, bool for_weights) {
  const int fractions = batch * kQuantiles;
  const float *h = t.reads(batch, kHidden), *target = t.reads(batch, kAtoms);
  const int* actions = t.reads_ints(batch);
  const IqnWeights weights = iqn_weights(t);
  float* taus = t.reads(fractions);
  float* cosines = for_weights ? t.reads(fractions, kQuantiles) : t.scratch(1);
  float* embedding = t.reads(fractions, kHidden);
  t.reads(fractions);
  return {h,
          target,
          actions,
          weights,
          {taus, cosines, embedding, t.scratch(fractions, kActions), nullptr},
          kSupport,
          1.0f};
}

HeadCall iqn_backward(Traffic& t) {
  const int batch = t.rows(3 * kHidden + kAtoms + kQuantiles * (kHidden + 3) + 2);
  const IqnGradInputs in = iqn_inputs(t, batch, false);
  const IqnGradOutputs out{t.writes(batch), t.writes(batch, kQuantiles), t.writes(batch, kHidden),
                           t.writes(batch, kHidden)};
  return [=](cudaStream_t stream) { iqn_bwd_relu_hadamard(in, iqn_shape(batch), out, stream); };
}

HeadCall iqn_backward_weights(Traffic& t) {
  const int batch = t.rows(3 * kHidden + kAtoms + kQuantiles * (2 * kHidden + kQuantiles + 3) + 2);
  const IqnGradInputs in = iqn_inputs(t, batch, true);
  const IqnGradOutputs from{t.scratch(batch), t.reads(batch, kQuantiles), t.reads(batch, kHidden),
                            t.scratch(batch, kHidden)};
  const IqnWeightGradients out{t.writes(batch * kQuantiles, kHidden), t.writes(kQuantiles, kHidden),
                               t.writes(kHidden), t.writes(kHidden, kActions), t.writes(kActions)};
  return [=](cudaStream_t stream) { iqn_bwd_weights(in, iqn_shape(batch), from, out, stream); };
}

// A head that is one linear layer to `kOut` outputs.
template <auto kForward, int kOut>
HeadCall linear_forward(Traffic& t) {
  const int batch = t.rows(kHidden + kOut);
  const float *h = t.reads(batch, kHidden), *w = t.reads(kHidden, kOut), *b = t.reads(kOut);
  float* logits = t.writes(batch, kOut);
  return [=](cudaStream_t stream) { kForward(h, w, b, batch, kHidden, kOut, logits, stream); };
}
template <auto kBackward>
HeadCall label_backward(Traffic& t) {
  const int batch = t.rows(2 * kClasses + 2 + kHidden);
  const float* logits = t.reads(batch, kClasses);
  const int* labels = t.reads_ints(batch);
  const float* w = t.reads(kHidden, kClasses);
  float *loss = t.writes(batch), *grad = t.writes(batch, kClasses), *h = t.writes(batch, kHidden);
  return [=](cudaStream_t stream) {
    kBackward(logits, labels, w, batch, kHidden, kClasses, loss, grad, h, stream);
  };
}
template <auto kBackward, int kOut>
HeadCall linear_weights(Traffic& t) {
  const int batch = t.rows(kHidden + kOut);
  const float *h = t.reads(batch, kHidden), *grad = t.reads(batch, kOut);
  float *w = t.writes(kHidden, kOut), *b = t.writes(kOut);
  return [=](cudaStream_t stream) { kBackward(h, grad, batch, kHidden, kOut, w, b, stream); };
}

void v_forward(const float* h, const float* w, const float* b, int batch, int hidden, int /*out*/,
               float* v, cudaStream_t stream) {
  v_head_fwd(h, w, b, batch, hidden, v, stream);
}
void v_weights(const float* h, const float* grad, int batch, int hidden, int /*out*/, float* w,
               float* b, cudaStream_t stream) {
  v_head_bwd_weights(h, grad, batch, hidden, w, b, stream);
}

HeadCall policy_backward(Traffic& t) {
  const int batch = t.rows(2 * kActions + 4 + kHidden);
  const float* logits = t.reads(batch, kActions);
  const int* actions = t.reads_ints(batch);
  const PolicyInputs in{logits, actions, t.reads(batch), t.reads(batch)};
  const float* w = t.reads(kHidden, kActions);
  float *loss = t.writes(batch), *grad = t.writes(batch, kActions), *h = t.writes(batch, kHidden);
  return [=](cudaStream_t stream) {
    pi_head_bwd(in, w, batch, kHidden, kActions, {0.2f, 0.01f}, loss, grad, h, stream);
  };
}

HeadCall v_backward(Traffic& t) {
  const int batch = t.rows(kAtoms + 3 + kHidden);
  const float *v = t.reads(batch), *target = t.reads(batch, kAtoms), *w = t.reads(kHidden);
  float *loss = t.writes(batch), *grad = t.writes(batch), *h = t.writes(batch, kHidden);
  return [=](cudaStream_t stream) {
    v_head_bwd(v, target, w, batch, kHidden, kSupport, loss, grad, h, stream);
  };
}

HeadCall mean(Traffic& t) {
  const int count = t.rows(1);
  const float* rows = t.reads(count);
  float* out = t.writes(1);
  return [=](cudaStream_t stream) { mean_of_rows(rows, count, out, stream); };
}

}  // namespace

std::vector<BandwidthRow> head_rows() {
  return {{"act_sample", sample_actions},
          {"rl_noisy_reset_noise", draw_noise},
          {"rl_noisy_linear_forward", noisy_forward},
          {"dqn_head_fwd", q_forward},
          {"pi_head_fwd", linear_forward<pi_head_fwd, kActions>},
          {"v_head_fwd", linear_forward<v_forward, 1>},
          {"frd_head_fwd", linear_forward<frd_head_fwd, kClasses>},
          {"outcome_head_fwd", linear_forward<outcome_head_fwd, kClasses>},
          {"rl_iqn_forward", iqn_forward},
          {"dueling_compose", compose},
          {"bellman_target_projection", bellman},
          {"iqn_bwd_relu_hadamard", iqn_backward},
          {"iqn_bwd_weights", iqn_backward_weights},
          {"dqn_grad_w_b_h_t", q_backward},
          {"dqn_grad_noisy", noisy_backward},
          {"pi_head_bwd", policy_backward},
          {"pi_head_bwd_weights", linear_weights<pi_head_bwd_weights, kActions>},
          {"v_head_bwd", v_backward},
          {"v_head_bwd_weights", linear_weights<v_weights, 1>},
          {"frd_head_bwd", label_backward<frd_head_bwd>},
          {"frd_head_bwd_weights", linear_weights<frd_head_bwd_weights, kClasses>},
          {"outcome_head_bwd", label_backward<outcome_head_bwd>},
          {"outcome_head_bwd_weights", linear_weights<outcome_head_bwd_weights, kClasses>},
          {"mean_of_rows", mean}};
}

}  // namespace foxhunt::test
