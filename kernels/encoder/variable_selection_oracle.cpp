// SPDX-License-Identifier: MIT
#include "kernels/encoder/variable_selection_oracle.h"

#include "kernels/encoder/oracle_parts.h"

namespace foxhunt::oracle {
namespace {

// One row's way through the layer.
template <class Real>
struct Row {
  const VariableSelection<Real>& in;
  const Real* x;
  std::vector<Real> weights;  // [F]
  std::vector<Real> mix;      // [2D]

  const Real& w(int f, int column) const {
    return in.w[at(f, in.features + 2 * in.width) + at(column)];
  }
  const Real& b(int f, int column) const { return in.b[at(f, 1 + 2 * in.width) + at(column)]; }
  Real embedding(int f, int j) const { return x[f] * w(f, in.features + j) + b(f, 1 + j); }

  Row(const VariableSelection<Real>& layer, int row)
      : in(layer), x(layer.x.data() + at(row, layer.features)) {
    std::vector<Real> scores;
    for (int f = 0; f < in.features; f++) {
      Real score = b(f, 0);
      for (int g = 0; g < in.features; g++) score += x[g] * w(g, f);
      scores.push_back(score);
    }
    weights = softmax(scores);
    for (int j = 0; j < 2 * in.width; j++) {
      Real sum = 0.0;
      for (int f = 0; f < in.features; f++) sum += weights[at(f)] * embedding(f, j);
      mix.push_back(sum);
    }
  }
};

}  // namespace

template <class Real>
std::vector<Real> variable_selection_fwd(const VariableSelection<Real>& in) {
  std::vector<Real> out;
  for (int row = 0; row < in.batch * in.window; row++) {
    const Row<Real> r(in, row);
    for (int d = 0; d < in.width; d++) {
      out.push_back(r.mix[at(d)] * sigmoid(r.mix[at(in.width + d)]));
    }
  }
  return out;
}

template <class Real>
VariableSelectionGradients<Real> variable_selection_bwd(const VariableSelection<Real>& in,
                                                        const std::vector<Real>& grad_out) {
  const int w_row = in.features + 2 * in.width, b_row = 1 + 2 * in.width;
  VariableSelectionGradients<Real> grad;
  grad.w.resize(at(in.batch, in.features * w_row));
  grad.b.resize(at(in.batch, in.features * b_row));
  for (int row = 0; row < in.batch * in.window; row++) {
    const Row<Real> r(in, row);
    std::vector<Real> grad_mix(at(2 * in.width));
    for (int d = 0; d < in.width; d++) {
      const Real g = grad_out[at(row, in.width) + at(d)];
      const Real open = sigmoid(r.mix[at(in.width + d)]);
      grad_mix[at(d)] = g * open;
      grad_mix[at(in.width + d)] = g * r.mix[at(d)] * (open * (Real(1.0) - open));
    }
    std::vector<Real> grad_weights;
    for (int f = 0; f < in.features; f++) {
      Real sum = 0.0;
      for (int j = 0; j < 2 * in.width; j++) sum += grad_mix[at(j)] * r.embedding(f, j);
      grad_weights.push_back(sum);
    }
    const std::vector<Real> grad_scores = softmax_gradient(r.weights, grad_weights);
    Real* grad_w = grad.w.data() + at(row / in.window, in.features * w_row);
    Real* grad_b = grad.b.data() + at(row / in.window, in.features * b_row);
    for (int f = 0; f < in.features; f++) {
      for (int g = 0; g < in.features; g++) grad_w[g * w_row + f] += grad_scores[at(f)] * r.x[g];
      grad_b[f * b_row] += grad_scores[at(f)];
      for (int j = 0; j < 2 * in.width; j++) {
        const Real g = grad_mix[at(j)] * r.weights[at(f)];
        grad_w[f * w_row + in.features + j] += g * r.x[f];
        grad_b[f * b_row + 1 + j] += g;
      }
    }
  }
  return grad;
}

template std::vector<double> variable_selection_fwd(const VariableSelection<double>&);
template std::vector<Rounded> variable_selection_fwd(const VariableSelection<Rounded>&);
template VariableSelectionGradients<double> variable_selection_bwd(const VariableSelection<double>&,
                                                                   const std::vector<double>&);
template VariableSelectionGradients<Rounded> variable_selection_bwd(
    const VariableSelection<Rounded>&, const std::vector<Rounded>&);

}  // namespace foxhunt::oracle
