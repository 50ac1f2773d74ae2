// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace foxhunt::oracle {

struct LayerNormForward {
  std::vector<double> out, mean, rstd;
};
LayerNormForward layer_norm_fwd(const std::vector<double>& x, const std::vector<double>& gain,
                                const std::vector<double>& bias, int rows, int cols,
                                double epsilon);

struct LayerNormBackward {
  std::vector<double> grad_x, gain_per_row, bias_per_row;
};
LayerNormBackward layer_norm_bwd(const std::vector<double>& grad_out, const std::vector<double>& x,
                                 const std::vector<double>& gain, int rows, int cols,
                                 double epsilon);

}  // namespace foxhunt::oracle
