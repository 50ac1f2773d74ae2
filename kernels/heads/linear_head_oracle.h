// SPDX-License-Identifier: MIT
#pragma once

// Host code: the linear layer and the softmax under every head's oracle. Real is double or
// Conditioned.
#include <cmath>
#include <cstddef>
#include <vector>

#include "kernels/heads/conditioned.h"

namespace foxhunt::oracle {

template <class Real>
using Values = std::vector<Real>;

template <class Real>
Values<Real> exactly(const std::vector<float>& values) {
  Values<Real> result;
  for (const float v : values) result.push_back(Real(double{v}));
  return result;
}

// y[rows,out] = x[rows,in] w[in,out] + b[out]
template <class Real>
Values<Real> linear(const Values<Real>& x, const Values<Real>& w, const Values<Real>& b,
                    std::size_t rows) {
  const std::size_t out = b.size(), in = out == 0 ? 0 : w.size() / out;
  Values<Real> y(rows * out, Real(0));
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t o = 0; o < out; ++o) {
      for (std::size_t i = 0; i < in; ++i) y[r * out + o] += x[r * in + i] * w[i * out + o];
      y[r * out + o] += b[o];
    }
  }
  return y;
}

template <class Real>
struct LinearGradients {
  Values<Real> x, w, b;  // [rows,in], [in,out], [out]
};

template <class Real>
LinearGradients<Real> linear_backward(const Values<Real>& x, const Values<Real>& w,
                                      const Values<Real>& grad_y, std::size_t rows,
                                      std::size_t out) {
  const std::size_t in = out == 0 ? 0 : w.size() / out;
  LinearGradients<Real> g{Values<Real>(rows * in, Real(0)), Values<Real>(in * out, Real(0)),
                          Values<Real>(out, Real(0))};
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t o = 0; o < out; ++o) {
      const Real dy = grad_y[r * out + o];
      for (std::size_t i = 0; i < in; ++i) {
        g.x[r * in + i] += dy * w[i * out + o];
        g.w[i * out + o] += x[r * in + i] * dy;
      }
      g.b[o] += dy;
    }
  }
  return g;
}

template <class Real>
Values<Real> softmax(const Real* logits, std::size_t count) {
  using std::exp;
  Real largest = logits[0], sum(0);
  for (std::size_t i = 1; i < count; ++i) {
    if (logits[i] > largest) largest = logits[i];
  }
  Values<Real> p;
  for (std::size_t i = 0; i < count; ++i) {
    p.push_back(exp(logits[i] - largest));
    sum += p.back();
  }
  for (Real& v : p) v = v / sum;
  return p;
}

template <class Real>
Values<Real> log_softmax(const Real* logits, std::size_t count) {
  using std::exp;
  using std::log;
  Real largest = logits[0], sum(0);
  for (std::size_t i = 1; i < count; ++i) {
    if (logits[i] > largest) largest = logits[i];
  }
  for (std::size_t i = 0; i < count; ++i) sum += exp(logits[i] - largest);
  Values<Real> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(logits[i] - largest - log(sum));
  return result;
}

template <class Real>
Real mean(const Values<Real>& values) {
  Real sum(0);
  for (const Real& v : values) sum += v;
  return values.empty() ? sum : sum / Real(static_cast<double>(values.size()));
}

}  // namespace foxhunt::oracle
