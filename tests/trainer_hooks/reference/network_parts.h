// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/encoder/attention_pool_oracle.h"
#include "kernels/encoder/cfc_step_oracle.h"
#include "kernels/encoder/layer_norm_oracle.h"
#include "kernels/encoder/mamba2_block_oracle.h"
#include "kernels/encoder/variable_selection_oracle.h"
#include "kernels/heads/dqn_grad_oracle.h"
#include "kernels/heads/dueling_compose_oracle.h"
#include "kernels/heads/iqn_grad_oracle.h"
#include "kernels/heads/pi_head_oracle.h"
#include "kernels/heads/v_head_oracle.h"
#include "tests/trainer_hooks/reference/network_oracle.h"

namespace foxhunt::test::network {

// The trainer's constants, said once more.
inline constexpr double kEpsilon = 1e-5f;
inline constexpr double kKappa = 1;
inline constexpr float kClip = 0.2f;
inline constexpr float kSupportLimit = 10;

inline std::size_t count(int n) { return static_cast<std::size_t>(n); }

template <class Real>
Tensors<Real> exactly_as(const Tensors<double>& tensors) {
  Tensors<Real> out;
  for (const auto& [name, values] : tensors) out[name].assign(values.begin(), values.end());
  return out;
}

template <class Real>
std::vector<double> values_of(const std::vector<Real>& numbers) {
  std::vector<double> out;
  for (const Real& number : numbers) out.push_back(value_of(number));
  return out;
}
template <class Real>
Tensors<double> values_of(const Tensors<Real>& tensors) {
  Tensors<double> out;
  for (const auto& [name, numbers] : tensors) out[name] = values_of(numbers);
  return out;
}

// How the network computes, and what becomes of a kernel's output.
struct InDouble {
  using Real = double;
  std::vector<double> operator()(std::vector<double> made) const { return made; }
};
struct AsFloatsMay {
  using Real = oracle::Rounded;
  std::mt19937_64& draws;
  std::vector<oracle::Rounded> operator()(const std::vector<oracle::Rounded>& made) const {
    std::vector<oracle::Rounded> moved;
    for (const oracle::Rounded& r : made) {
      const double error = oracle::kUnitRoundoff * r.error;
      moved.emplace_back(r.value + (draws() >> 63 ? error : -error));
    }
    return moved;
  }
};

// The forward, from the kernels' oracles.
template <class Arithmetic>
struct Network {
  using Real = typename Arithmetic::Real;
  const Arithmetic& made;  // made(buffer): wraps what a kernel makes
  const Tensors<Real>& parameters;
  const NetworkSample& sample;
  const TrainerSizes& s = sample.sizes;
  const std::size_t batch = count(s.batch), actions = count(s.actions);
  const ValueSupport support = {-kSupportLimit, kSupportLimit, s.atoms};
  const IqnShape iqn_shape = {s.batch, s.hidden, s.actions, s.quantiles, s.quantiles};

  const std::vector<Real>& p(std::string_view name) const { return parameters.find(name)->second; }
  std::vector<Real> constant(std::string_view name) const {
    return oracle::exactly<Real>(sample.floats.find(name)->second);
  }
  const std::vector<int>& integers(std::string_view name) const {
    return sample.integers.find(name)->second;
  }

  oracle::VariableSelection<Real> variable_selection() const {
    return {s.batch,    s.window,  s.features, s.width, constant("sampled_window"),
            p("vsn_w"), p("vsn_b")};
  }
  oracle::Mamba2<Real> mamba2(const std::vector<Real>& x) const {
    const Mamba2Shape m = s.mamba(s.batch);
    return {m.batch,
            m.window,
            m.width,
            m.inner,
            m.state,
            m.heads,
            x,
            p("mamba2_in_proj"),
            p("mamba2_conv_w"),
            p("mamba2_conv_b"),
            p("mamba2_dt_bias"),
            p("mamba2_a_log"),
            p("mamba2_d"),
            p("mamba2_out_proj")};
  }
  oracle::Cfc<Real> cfc(const std::vector<Real>& x) const {
    return {s.batch,       s.window,       s.width,    s.hidden,    x, constant("sampled_h_t"),
            p("cfc_w_in"), p("cfc_w_rec"), p("cfc_b"), p("cfc_tau")};
  }
  std::vector<Real> layer_norm(const std::string& name, const std::vector<Real>& x) const {
    return made(oracle::layer_norm_fwd(x, p(name + "_gain"), p(name + "_bias"), s.batch * s.window,
                                       s.width, kEpsilon)
                    .out);
  }
  oracle::NoisyLinear<Real> noisy() const {
    return {p("noisy_w_mu"), p("noisy_w_sigma"), p("noisy_b_mu"), p("noisy_b_sigma")};
  }
  oracle::IqnWeights<Real> iqn_weights() const {
    return {p("iqn_tau_w"), p("iqn_tau_b"), p("iqn_w"), p("iqn_b")};
  }
  PolicyLoss policy() const { return {kClip, sample.entropy_weight}; }

  // What the heads' losses and their gradients come from.
  struct Heads {
    oracle::IqnForward<Real> iqn;
    oracle::IqnGradients<Real> iqn_grad;
    oracle::DqnGradients<Real> q;
    oracle::LossRows<Real> pi, v, frd, outcome;
  };

  void encode(Tensors<Real>& b) const {
    b["vsn_out"] = made(oracle::variable_selection_fwd(variable_selection()));
    b["ln_a_out"] = layer_norm("ln_a", b["vsn_out"]);
    b["mamba2_out"] = made(oracle::mamba2_forward(mamba2(b["ln_a_out"])));
    b["ln_b_out"] = layer_norm("ln_b", b["mamba2_out"]);
    b["cfc_out"] = made(oracle::cfc_forward(cfc(b["ln_b_out"])));
    b["attn_pool_out"] =
        made(oracle::attention_pool_fwd(b["cfc_out"], p("attn_q"), s.batch, s.window, s.hidden));
  }

  Heads heads(Tensors<Real>& b) const {
    const std::vector<Real>& h = b["attn_pool_out"];
    const std::vector<Real> target = constant("bellman_target"), eps = constant("noisy_eps");
    const std::vector<Real> taus = constant("iqn_taus");
    const std::vector<int>& taken = integers("sampled_actions");
    const auto head = [&](const std::string& name) {
      return made(oracle::linear(h, p(name + "_w"), p(name + "_b"), batch));
    };
    b["noisy_hidden"] = made(oracle::noisy_linear(h, noisy(), eps, batch));
    b["q_logits"] = made(oracle::linear(b["noisy_hidden"], p("dqn_w"), p("dqn_b"), batch));
    b["pi_logits"] = head("pi");
    b["v_pred"] = head("v");
    b["frd_logits"] = head("frd");
    b["outcome_logits"] = head("outcome");
    b["dueling_q_composed"] =
        made(oracle::dueling_compose(b["q_logits"], b["v_pred"], actions, support));
    Heads out;
    out.iqn = oracle::iqn_forward(h, taus, iqn_weights(), iqn_shape);
    for (auto* buffer : {&out.iqn.cosines, &out.iqn.embedding, &out.iqn.quantile_values}) {
      *buffer = made(*buffer);
    }
    b["iqn_q_values"] = made(out.iqn.q_values);
    out.iqn_grad = oracle::iqn_grad(h, taus, iqn_weights(), out.iqn, target, taken, iqn_shape,
                                    support, kKappa);
    out.q = oracle::dqn_grad(h, noisy(), eps, b["noisy_hidden"], p("dqn_w"), b["q_logits"], target,
                             constant("sampled_is_weight"), taken, actions);
    out.pi = oracle::policy_loss(b["pi_logits"], taken, constant("sampled_log_pi_old"),
                                 constant("td_error"), policy());
    out.v = oracle::value_loss(b["v_pred"], target, support);
    out.frd = oracle::cross_entropy(b["frd_logits"], integers("frd_labels"));
    out.outcome = oracle::cross_entropy(b["outcome_logits"], integers("outcome_labels"));
    return out;
  }

  std::vector<Real> kinks(const Tensors<Real>& b, const Heads& heads) const {
    using std::exp;
    std::vector<Real> from = heads.iqn.embedding;
    const std::vector<int>& taken = integers("sampled_actions");
    const std::vector<Real> log_pi_old = constant("sampled_log_pi_old");
    const std::vector<Real>& pi_logits = b.find("pi_logits")->second;
    const double clip{kClip};
    for (std::size_t row = 0; row < batch; ++row) {
      const auto action = count(taken[row]);
      for (int n = 0; n < s.quantiles; ++n) {
        const std::size_t k = row * count(s.quantiles) + count(n);
        for (std::size_t z = 0; z < count(s.atoms); ++z) {
          const Real u = oracle::atom_value<Real>(support, z) -
                         heads.iqn.quantile_values[k * actions + action];
          for (const double at : {-kKappa, 0.0, kKappa}) from.push_back(u - Real(at));
        }
      }
      const Real ratio =
          exp(oracle::log_softmax(&pi_logits[row * actions], actions)[action] - log_pi_old[row]);
      from.push_back(ratio - Real(1 - clip));
      from.push_back(ratio - Real(1 + clip));
    }
    return from;
  }
};

}  // namespace foxhunt::test::network
