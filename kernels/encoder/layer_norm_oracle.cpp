// SPDX-License-Identifier: MIT
#include "kernels/encoder/layer_norm_oracle.h"

#include <cmath>
#include <cstddef>

namespace foxhunt::oracle {
namespace {

struct Moments {
  double mean, rstd;
};

Moments moments(const double* row, std::size_t cols, double epsilon) {
  const auto width = static_cast<double>(cols);
  double sum = 0, squares = 0;
  for (std::size_t c = 0; c < cols; ++c) sum += row[c];
  const double mean = sum / width;
  for (std::size_t c = 0; c < cols; ++c) squares += (row[c] - mean) * (row[c] - mean);
  return {mean, 1 / std::sqrt(squares / width + epsilon)};
}

}  // namespace

LayerNormForward layer_norm_fwd(const std::vector<double>& x, const std::vector<double>& gain,
                                const std::vector<double>& bias, int rows, int cols,
                                double epsilon) {
  const auto width = static_cast<std::size_t>(cols);
  LayerNormForward forward;
  for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) {
    const double* row = x.data() + r * width;
    const auto [mean, rstd] = moments(row, width, epsilon);
    for (std::size_t c = 0; c < width; ++c) {
      forward.out.push_back((row[c] - mean) * rstd * gain[c] + bias[c]);
    }
    forward.mean.push_back(mean);
    forward.rstd.push_back(rstd);
  }
  return forward;
}

LayerNormBackward layer_norm_bwd(const std::vector<double>& grad_out, const std::vector<double>& x,
                                 const std::vector<double>& gain, int rows, int cols,
                                 double epsilon) {
  const auto width = static_cast<std::size_t>(cols);
  LayerNormBackward backward;
  for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) {
    const double* row = x.data() + r * width;
    const double* grad = grad_out.data() + r * width;
    const auto [mean, rstd] = moments(row, width, epsilon);
    double sum = 0, product = 0;
    for (std::size_t c = 0; c < width; ++c) {
      const double n = (row[c] - mean) * rstd, g = grad[c] * gain[c];
      sum += g;
      product += g * n;
    }
    for (std::size_t c = 0; c < width; ++c) {
      const double n = (row[c] - mean) * rstd, g = grad[c] * gain[c];
      backward.grad_x.push_back(rstd * (g - (sum + n * product) / static_cast<double>(cols)));
      backward.gain_per_row.push_back(grad[c] * n);
      backward.bias_per_row.push_back(grad[c]);
    }
  }
  return backward;
}

}  // namespace foxhunt::oracle
