// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <random>
#include <string>
#include <vector>

#include "trainer_hooks/reference/sizes.h"

namespace foxhunt::test {

// Tensors by the profile's names: "vsn_w", "sampled_window".
template <class T>
using Tensors = std::map<std::string, std::vector<T>, std::less<>>;

// One update's data, which are constants to its losses: what was sampled, the noise, IQN's
// fractions, the targets and advantages, labels, and the weights of the heads.
struct NetworkSample {
  TrainerSizes sizes;
  float entropy_weight = 0;
  Tensors<float> floats;
  Tensors<int> integers;
};

// What the network makes of a sample.
struct NetworkOutputs {
  Tensors<double> buffers;    // of the encoder and the heads
  Tensors<double> loss_rows;  // [B] of the heads "q", "iqn", "pi", "v", "frd", "outcome"
  // How far it is, positive on one side and negative on the other, from where the slope of a loss
  // jumps or bends: IQN's ReLU, its Huber loss, and the clip of PPO's ratio.
  std::vector<double> kinks;
};

// The network in sequential code, from the kernels' oracles.
//
// float_draws  null: in double. Else one way in which float arithmetic may come out: after each
//              kernel, every element that it made is moved, up or down, by its running error within
//              that kernel (kernels/math/rounded.h), which bounds what the kernel's roundings add
//              up to.
NetworkOutputs network_forward(const Tensors<double>& parameters, const NetworkSample& sample,
                               std::mt19937_64* float_draws = nullptr);

// The same in double from `encoded`'s attn_pool_out on, with no buffer before it: for parameters
// that differ from encoded's in those of heads only.
NetworkOutputs heads_forward(const Tensors<double>& parameters, const NetworkSample& sample,
                             const NetworkOutputs& encoded);

// The head, as in loss_rows, whose loss a parameter's gradient is of; "" for the encoder's.
std::string head_of(const std::string& parameter);

// What the trainer's gradient at `parameter` is the gradient of. For a head's own parameter it is
// the head's mean loss. For the encoder's it is the sum over the heads of lambda times that, with
// IQN's loss beside C51's under head q's lambda.
double loss_of(const std::string& parameter, const NetworkOutputs& outputs,
               const NetworkSample& sample);

// The gradients at all parameters by the oracles' backward, one after the other in the trainer's
// order; the last argument as above.
Tensors<double> network_gradients(const Tensors<double>& parameters, const NetworkSample& sample,
                                  std::mt19937_64* float_draws = nullptr);

}  // namespace foxhunt::test
