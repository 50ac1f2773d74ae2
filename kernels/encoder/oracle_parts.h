// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "kernels/math/rounded.h"

namespace foxhunt::oracle {

using std::exp;
using std::sqrt;
using std::tanh;

// Index arithmetic in int, subscripts in size_t.
inline std::size_t at(int i) { return static_cast<std::size_t>(i); }
inline std::size_t at(int i, int stride) { return at(i) * at(stride); }

template <class Real>
std::vector<Real> softmax(const std::vector<Real>& scores) {
  Real largest = scores.front();
  for (const Real& s : scores) largest = std::max(largest, s);
  std::vector<Real> out;
  Real total = 0.0;
  for (const Real& s : scores) {
    out.push_back(exp(s - largest));
    total += out.back();
  }
  for (Real& w : out) w = w / total;
  return out;
}

// The gradient at softmax's argument, from its value and the gradient there.
template <class Real>
std::vector<Real> softmax_gradient(const std::vector<Real>& weights,
                                   const std::vector<Real>& grad_weights) {
  Real mean = 0.0;
  for (std::size_t i = 0; i < weights.size(); i++) mean += weights[i] * grad_weights[i];
  std::vector<Real> out;
  for (std::size_t i = 0; i < weights.size(); i++) {
    out.push_back(weights[i] * (grad_weights[i] - mean));
  }
  return out;
}

}  // namespace foxhunt::oracle
