// SPDX-License-Identifier: MIT
#include "tests/trainer_hooks/reference/network_oracle.h"

#include "tests/trainer_hooks/reference/network_parts.h"

namespace foxhunt::test {
namespace {

using network::exactly_as;
using network::Network;
using network::values_of;

// `buffers` holds attn_pool_out, or nothing yet.
template <class Arithmetic, class Real = typename Arithmetic::Real>
NetworkOutputs forward(const Arithmetic& made, const Tensors<double>& parameters,
                       const NetworkSample& sample, Tensors<Real> buffers = {}) {
  const Tensors<Real> exact = exactly_as<Real>(parameters);
  const Network<Arithmetic> net{made, exact, sample};
  if (buffers.empty()) net.encode(buffers);
  const auto heads = net.heads(buffers);
  const Tensors<Real> losses = {
      {"q", made(heads.q.loss)},     {"iqn", made(heads.iqn_grad.loss)},
      {"pi", made(heads.pi.loss)},   {"v", made(heads.v.loss)},
      {"frd", made(heads.frd.loss)}, {"outcome", made(heads.outcome.loss)}};
  return {values_of(buffers), values_of(losses), values_of(net.kinks(buffers, heads))};
}

}  // namespace

NetworkOutputs network_forward(const Tensors<double>& parameters, const NetworkSample& sample,
                               std::mt19937_64* float_draws) {
  if (float_draws == nullptr) return forward(network::InDouble{}, parameters, sample);
  return forward(network::AsFloatsMay{*float_draws}, parameters, sample);
}

NetworkOutputs heads_forward(const Tensors<double>& parameters, const NetworkSample& sample,
                             const NetworkOutputs& encoded) {
  return forward(network::InDouble{}, parameters, sample,
                 {{"attn_pool_out", encoded.buffers.at("attn_pool_out")}});
}

std::string head_of(const std::string& parameter) {
  const std::string layer = parameter.substr(0, parameter.find('_'));
  if (layer == "dqn" || layer == "noisy") return "q";
  for (const char* head : {"iqn", "pi", "v", "frd", "outcome"}) {
    if (layer == head) return head;
  }
  return "";
}

double loss_of(const std::string& parameter, const NetworkOutputs& outputs,
               const NetworkSample& sample) {
  const auto mean = [&](const std::string& head) {
    return oracle::mean(outputs.loss_rows.at(head));
  };
  if (const std::string head = head_of(parameter); !head.empty()) return mean(head);
  const std::vector<float>& scalars = sample.floats.find("host_scalars")->second;
  const auto lambda = [&](HostScalar which) { return double{scalars[network::count(which)]}; };
  return lambda(kLambdaQ) * (mean("q") + mean("iqn")) + lambda(kLambdaPi) * mean("pi") +
         lambda(kLambdaV) * mean("v") + lambda(kLambdaFrd) * mean("frd") +
         lambda(kLambdaOutcome) * mean("outcome");
}

}  // namespace foxhunt::test
