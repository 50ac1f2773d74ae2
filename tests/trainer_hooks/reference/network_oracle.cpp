// SPDX-License-Identifier: MIT
#include "tests/trainer_hooks/reference/network_oracle.h"

#include "tests/trainer_hooks/reference/network_parts.h"

namespace foxhunt::test {
namespace {

using network::exactly_as;
using network::Network;
using network::values_of;

template <class Arithmetic, class Real = typename Arithmetic::Real>
NetworkOutputs forward(const Arithmetic& made, const Tensors<double>& parameters,
                       const NetworkSample& sample) {
  const Tensors<Real> exact = exactly_as<Real>(parameters);
  const Network<Arithmetic> net{made, exact, sample};
  Tensors<Real> buffers;
  net.encode(buffers);
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

double loss_of(const std::string& parameter, const NetworkOutputs& outputs,
               const NetworkSample& sample) {
  const auto mean = [&](std::string_view head) {
    return oracle::mean(outputs.loss_rows.find(head)->second);
  };
  const std::string layer = parameter.substr(0, parameter.find('_'));
  if (layer == "dqn" || layer == "noisy") return mean("q");
  if (outputs.loss_rows.contains(layer)) return mean(layer);
  const std::vector<float>& scalars = sample.floats.find("host_scalars")->second;
  const auto lambda = [&](HostScalar which) { return double{scalars[network::count(which)]}; };
  return lambda(kLambdaQ) * (mean("q") + mean("iqn")) + lambda(kLambdaPi) * mean("pi") +
         lambda(kLambdaV) * mean("v") + lambda(kLambdaFrd) * mean("frd") +
         lambda(kLambdaOutcome) * mean("outcome");
}

}  // namespace foxhunt::test
