// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "kernels/math/rounded.h"

namespace foxhunt::oracle {

// cfc_step.h in sequential code; Real is double or Rounded.
template <class Real>
struct Cfc {
  int batch, window, inputs, hidden;
  std::vector<Real> x;      // [B,T,D]
  std::vector<Real> h_t;    // [B,H]
  std::vector<Real> w_in;   // [D,3H]
  std::vector<Real> w_rec;  // [H,3H]
  std::vector<Real> b;      // [3H]
  std::vector<Real> tau;    // [H]
};

// [B,T,H]
template <class Real>
std::vector<Real> cfc_forward(const Cfc<Real>& in);

template <class Real>
struct CfcGradients {
  std::vector<Real> x;      // [B,T,D]
  std::vector<Real> w_in;   // [B,D,3H]
  std::vector<Real> w_rec;  // [B,H,3H]
  std::vector<Real> b;      // [B,3H]
  std::vector<Real> tau;    // [B,H]
};

template <class Real>
CfcGradients<Real> cfc_backward(const Cfc<Real>& in, const std::vector<Real>& grad_out);

}  // namespace foxhunt::oracle
