// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "kernels/math/rounded.h"

namespace foxhunt::oracle {

// mamba2_block.h in sequential code; Real is double or Rounded.
template <class Real>
struct Mamba2 {
  int batch, window, width, inner, state, heads;
  std::vector<Real> x;         // [B,T,D]
  std::vector<Real> in_proj;   // [D, E + K + heads]
  std::vector<Real> conv_w;    // [4,K]
  std::vector<Real> conv_b;    // [K]
  std::vector<Real> dt_bias;   // [heads]
  std::vector<Real> a_log;     // [heads]
  std::vector<Real> d;         // [heads]
  std::vector<Real> out_proj;  // [E,D]
};

// [B,T,D]
template <class Real>
std::vector<Real> mamba2_forward(const Mamba2<Real>& in);

// The same by the recurrence S[t] = exp(-exp(a_log) dt[t]) S[t-1] + dt[t] B[t] v[t]', y[t] = C[t]'
// S[t] + d v[t]: what the dual form is dual to.
std::vector<double> mamba2_forward_by_recurrence(const Mamba2<double>& in);

// Of the shapes of the parameters; x [B,T,D].
template <class Real>
struct Mamba2Gradients {
  std::vector<Real> x, in_proj, conv_w, conv_b, dt_bias, a_log, d, out_proj;
};

template <class Real>
Mamba2Gradients<Real> mamba2_backward(const Mamba2<Real>& in, const std::vector<Real>& grad_out);

}  // namespace foxhunt::oracle
