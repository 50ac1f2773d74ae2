// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kernels/encoder/mamba2_block.h"

namespace foxhunt::test {

// Small and awkward, so that no kernel's tiles come out even.
struct ChainSizes {
  int envs = 3, batch = 6, window = 5, features = 4, width = 12, hidden = 20;
  int actions = 3, atoms = 11, quantiles = 8, frd_bins = 5, outcomes = 3, capacity = 16;
  Mamba2Shape mamba(int batch_items) const { return {batch_items, window, width, 16, 3, 2}; }
};

// All parameters one after the other in one array, as the optimizer sees them. They begin wherever
// the one before ends, so at any alignment.
class ChainParameters {
 public:
  explicit ChainParameters(const ChainSizes& s) {
    const Mamba2Shape m = s.mamba(1);
    const int gates = 3 * s.hidden, h = s.hidden;
    for (const auto& [name, size] : std::vector<std::pair<std::string, int>>{
             {"vsn_w", s.features * (s.features + 2 * s.width)},
             {"vsn_b", s.features * (1 + 2 * s.width)},
             {"ln_a_gain", s.width},
             {"ln_a_bias", s.width},
             {"mamba2_in_proj", s.width * m.projected()},
             {"mamba2_conv_w", 4 * m.channels()},
             {"mamba2_conv_b", m.channels()},
             {"mamba2_dt_bias", m.heads},
             {"mamba2_a_log", m.heads},
             {"mamba2_d", m.heads},
             {"mamba2_out_proj", m.inner * s.width},
             {"ln_b_gain", s.width},
             {"ln_b_bias", s.width},
             {"cfc_w_in", s.width * gates},
             {"cfc_w_rec", h * gates},
             {"cfc_b", gates},
             {"cfc_tau", h},
             {"attn_q", h},
             {"noisy_w_mu", h * h},
             {"noisy_w_sigma", h * h},
             {"noisy_b_mu", h},
             {"noisy_b_sigma", h},
             {"q_w", h * s.actions * s.atoms},
             {"q_b", s.actions * s.atoms},
             {"pi_w", h * s.actions},
             {"pi_b", s.actions},
             {"v_w", h},
             {"v_b", 1},
             {"frd_w", h * s.frd_bins},
             {"frd_b", s.frd_bins},
             {"outcome_w", h * s.outcomes},
             {"outcome_b", s.outcomes},
             {"iqn_tau_w", s.quantiles * h},
             {"iqn_tau_b", h},
             {"iqn_w", h * s.actions},
             {"iqn_b", s.actions}}) {
      offsets_[name] = size_;
      size_ += static_cast<std::size_t>(size);
    }
  }

  std::size_t size() const { return size_; }
  std::size_t offset(const std::string& name) const { return offsets_.at(name); }

 private:
  std::map<std::string, std::size_t> offsets_;
  std::size_t size_ = 0;
};

}  // namespace foxhunt::test
