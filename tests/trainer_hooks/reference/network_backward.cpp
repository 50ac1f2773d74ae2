// SPDX-License-Identifier: MIT
// network_gradients: the oracles' backward, in the trainer's order.
#include "tests/trainer_hooks/reference/network_oracle.h"
#include "tests/trainer_hooks/reference/network_parts.h"

namespace foxhunt::test {
namespace {

using network::exactly_as;
using network::Network;
using network::values_of;

// The heads' gradients at h, weighted and summed, and those at their own parameters.
template <class Arithmetic, class Real = typename Arithmetic::Real>
std::vector<Real> heads_backward(const Network<Arithmetic>& net, Tensors<Real>& b,
                                 Tensors<Real>& grad) {
  const auto heads = net.heads(b);
  const std::vector<Real>& h = b["attn_pool_out"];
  const auto linear = [&](const std::string& name, const std::vector<Real>& grad_y) {
    const auto g = oracle::linear_backward(h, net.p(name + "_w"), net.made(grad_y), net.batch,
                                           grad_y.size() / net.batch);
    grad[name + "_w"] = g.w;
    grad[name + "_b"] = g.b;
    return net.made(g.x);
  };
  std::vector<Real> at_q = net.made(heads.iqn_grad.h);
  for (std::size_t i = 0; i < at_q.size(); ++i) at_q[i] += heads.q.noisy.x[i];
  const std::vector<std::vector<Real>> at_h = {
      net.made(at_q), linear("pi", heads.pi.grad_logits), linear("v", heads.v.grad_logits),
      linear("frd", heads.frd.grad_logits), linear("outcome", heads.outcome.grad_logits)};
  const std::vector<Real> lambda = net.constant("host_scalars");
  std::vector<Real> combined(h.size());
  for (std::size_t head = 0; head < at_h.size(); ++head) {
    for (std::size_t i = 0; i < h.size(); ++i) combined[i] += lambda[head] * at_h[head][i];
  }
  grad["dqn_w"] = heads.q.w;
  grad["dqn_b"] = heads.q.b;
  grad["noisy_w_mu"] = heads.q.noisy.layer.w_mu;
  grad["noisy_w_sigma"] = heads.q.noisy.layer.w_sigma;
  grad["noisy_b_mu"] = heads.q.noisy.layer.b_mu;
  grad["noisy_b_sigma"] = heads.q.noisy.layer.b_sigma;
  grad["iqn_tau_w"] = heads.iqn_grad.weights.tau_w;
  grad["iqn_tau_b"] = heads.iqn_grad.weights.tau_b;
  grad["iqn_w"] = heads.iqn_grad.weights.w;
  grad["iqn_b"] = heads.iqn_grad.weights.b;
  return net.made(combined);
}

// [rows, columns] summed over rows.
template <class Real>
std::vector<Real> summed(const std::vector<Real>& values, std::size_t columns) {
  std::vector<Real> sum(columns);
  for (std::size_t i = 0; i < values.size(); ++i) sum[i % columns] += values[i];
  return sum;
}

template <class Arithmetic, class Real = typename Arithmetic::Real>
void encoder_backward(const Network<Arithmetic>& net, Tensors<Real>& b, std::vector<Real> at,
                      Tensors<Real>& grad) {
  const TrainerSizes& s = net.s;
  const auto reduce = [&](const std::string& name, const std::vector<Real>& scratch) {
    grad[name] = summed(net.made(scratch), net.p(name).size());
  };
  const auto layer_norm = [&](const std::string& name, const std::vector<Real>& x) {
    const auto g = oracle::layer_norm_bwd(at, x, net.p(name + "_gain"), s.batch * s.window, s.width,
                                          network::kEpsilon);
    reduce(name + "_gain", g.gain_per_row);
    reduce(name + "_bias", g.bias_per_row);
    at = net.made(g.grad_x);
  };
  const auto attn =
      oracle::attention_pool_bwd(b["cfc_out"], net.p("attn_q"), at, s.batch, s.window, s.hidden);
  reduce("attn_q", attn.q);
  const auto cfc = oracle::cfc_backward(net.cfc(b["ln_b_out"]), net.made(attn.x));
  reduce("cfc_w_in", cfc.w_in);
  reduce("cfc_w_rec", cfc.w_rec);
  reduce("cfc_b", cfc.b);
  reduce("cfc_tau", cfc.tau);
  at = net.made(cfc.x);
  layer_norm("ln_b", b["mamba2_out"]);
  const auto mamba = oracle::mamba2_backward(net.mamba2(b["ln_a_out"]), at);
  grad["mamba2_in_proj"] = mamba.in_proj;
  grad["mamba2_conv_w"] = mamba.conv_w;
  grad["mamba2_conv_b"] = mamba.conv_b;
  grad["mamba2_dt_bias"] = mamba.dt_bias;
  grad["mamba2_a_log"] = mamba.a_log;
  grad["mamba2_d"] = mamba.d;
  grad["mamba2_out_proj"] = mamba.out_proj;
  at = net.made(mamba.x);
  layer_norm("ln_a", b["vsn_out"]);
  const auto vsn = oracle::variable_selection_bwd(net.variable_selection(), at);
  reduce("vsn_w", vsn.w);
  reduce("vsn_b", vsn.b);
}

template <class Arithmetic, class Real = typename Arithmetic::Real>
Tensors<double> gradients(const Arithmetic& made, const Tensors<double>& parameters,
                          const NetworkSample& sample) {
  const Tensors<Real> exact = exactly_as<Real>(parameters);
  const Network<Arithmetic> net{made, exact, sample};
  Tensors<Real> buffers, grad;
  net.encode(buffers);
  const std::vector<Real> at_h = heads_backward(net, buffers, grad);
  encoder_backward(net, buffers, at_h, grad);
  for (auto& [name, values] : grad) values = made(values);
  return values_of(grad);
}

}  // namespace

Tensors<double> network_gradients(const Tensors<double>& parameters, const NetworkSample& sample,
                                  std::mt19937_64* float_draws) {
  if (float_draws == nullptr) return gradients(network::InDouble{}, parameters, sample);
  return gradients(network::AsFloatsMay{*float_draws}, parameters, sample);
}

}  // namespace foxhunt::test
