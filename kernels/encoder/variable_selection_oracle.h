// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "kernels/math/rounded.h"

namespace foxhunt::oracle {

// variable_selection.h in sequential code; Real is double or Rounded.
template <class Real>
struct VariableSelection {
  int batch, window, features, width;
  std::vector<Real> x;  // [B,T,F]
  std::vector<Real> w;  // [F,F+2D]
  std::vector<Real> b;  // [F,1+2D]
};

// [B,T,D]
template <class Real>
std::vector<Real> variable_selection_fwd(const VariableSelection<Real>& in);

template <class Real>
struct VariableSelectionGradients {
  std::vector<Real> w;  // [B,F,F+2D]
  std::vector<Real> b;  // [B,F,1+2D]
};

template <class Real>
VariableSelectionGradients<Real> variable_selection_bwd(const VariableSelection<Real>& in,
                                                        const std::vector<Real>& grad_out);

}  // namespace foxhunt::oracle
