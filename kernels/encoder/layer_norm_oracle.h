// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "kernels/math/rounded.h"

namespace foxhunt::oracle {

// layer_norm.h in sequential code; Real is double or Rounded.
template <class Real>
struct LayerNormForward {
  std::vector<Real> out, mean, rstd;
};
template <class Real>
LayerNormForward<Real> layer_norm_fwd(const std::vector<Real>& x, const std::vector<Real>& gain,
                                      const std::vector<Real>& bias, int rows, int cols,
                                      double epsilon);

template <class Real>
struct LayerNormBackward {
  std::vector<Real> grad_x, gain_per_row, bias_per_row;
};
template <class Real>
LayerNormBackward<Real> layer_norm_bwd(const std::vector<Real>& grad_out,
                                       const std::vector<Real>& x, const std::vector<Real>& gain,
                                       int rows, int cols, double epsilon);

}  // namespace foxhunt::oracle
