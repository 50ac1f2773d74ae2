// SPDX-License-Identifier: MIT
#include "kernels/encoder/layer_norm_oracle.h"

#include <cmath>
#include <cstddef>

namespace foxhunt::oracle {
namespace {

template <class Real>
struct Moments {
  Real mean, rstd;
};

template <class Real>
Moments<Real> moments(const Real* row, std::size_t cols, double epsilon) {
  using std::sqrt;
  const Real width(static_cast<double>(cols));
  Real sum = 0.0, squares = 0.0;
  for (std::size_t c = 0; c < cols; ++c) sum += row[c];
  const Real mean = sum / width;
  for (std::size_t c = 0; c < cols; ++c) squares += (row[c] - mean) * (row[c] - mean);
  return {mean, Real(1.0) / sqrt(squares / width + Real(epsilon))};
}

}  // namespace

template <class Real>
LayerNormForward<Real> layer_norm_fwd(const std::vector<Real>& x, const std::vector<Real>& gain,
                                      const std::vector<Real>& bias, int rows, int cols,
                                      double epsilon) {
  const auto width = static_cast<std::size_t>(cols);
  LayerNormForward<Real> forward;
  for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) {
    const Real* row = x.data() + r * width;
    const auto [mean, rstd] = moments(row, width, epsilon);
    for (std::size_t c = 0; c < width; ++c) {
      forward.out.push_back((row[c] - mean) * rstd * gain[c] + bias[c]);
    }
    forward.mean.push_back(mean);
    forward.rstd.push_back(rstd);
  }
  return forward;
}

template <class Real>
LayerNormBackward<Real> layer_norm_bwd(const std::vector<Real>& grad_out,
                                       const std::vector<Real>& x, const std::vector<Real>& gain,
                                       int rows, int cols, double epsilon) {
  const auto width = static_cast<std::size_t>(cols);
  const Real count(static_cast<double>(cols));
  LayerNormBackward<Real> backward;
  for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) {
    const Real* row = x.data() + r * width;
    const Real* grad = grad_out.data() + r * width;
    const auto [mean, rstd] = moments(row, width, epsilon);
    Real sum = 0.0, product = 0.0;
    for (std::size_t c = 0; c < width; ++c) {
      const Real n = (row[c] - mean) * rstd, g = grad[c] * gain[c];
      sum += g;
      product += g * n;
    }
    for (std::size_t c = 0; c < width; ++c) {
      const Real n = (row[c] - mean) * rstd, g = grad[c] * gain[c];
      backward.grad_x.push_back(rstd * (g - (sum + n * product) / count));
      backward.gain_per_row.push_back(grad[c] * n);
      backward.bias_per_row.push_back(grad[c]);
    }
  }
  return backward;
}

template LayerNormForward<double> layer_norm_fwd(const std::vector<double>&,
                                                 const std::vector<double>&,
                                                 const std::vector<double>&, int, int, double);
template LayerNormForward<Rounded> layer_norm_fwd(const std::vector<Rounded>&,
                                                  const std::vector<Rounded>&,
                                                  const std::vector<Rounded>&, int, int, double);
template LayerNormBackward<double> layer_norm_bwd(const std::vector<double>&,
                                                  const std::vector<double>&,
                                                  const std::vector<double>&, int, int, double);
template LayerNormBackward<Rounded> layer_norm_bwd(const std::vector<Rounded>&,
                                                   const std::vector<Rounded>&,
                                                   const std::vector<Rounded>&, int, int, double);

}  // namespace foxhunt::oracle
