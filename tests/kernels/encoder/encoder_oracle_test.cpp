// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <vector>

#include "kernels/encoder/attention_pool_oracle.h"
#include "kernels/encoder/cfc_step_oracle.h"
#include "kernels/encoder/mamba2_block_oracle.h"
#include "kernels/encoder/variable_selection_oracle.h"
#include "tests/kernels/support/inputs.h"
#include "tests/kernels/support/near_oracle.h"
#include "tests/kernels/support/running_error.h"

namespace foxhunt::test {
namespace {

std::vector<double> normals(int size, std::uint64_t stream) {
  return to_double(random_normals(static_cast<std::size_t>(size), stream));
}

// The loss of which all gradients here are: the outputs weighted by grad_out.
double weighted(const std::vector<double>& out, const std::vector<double>& grad_out) {
  EXPECT_EQ(out.size(), grad_out.size());
  double loss = 0.0;
  for (std::size_t i = 0; i < out.size(); i++) loss += out[i] * grad_out[i];
  return loss;
}

// EXPECTs `gradient` to be that of `loss` at `input`, a part of what loss reads. The differences
// err by about 1e-10 of the third derivative, so agreement to 1e-7 tells a wrong term from theirs.
void expect_gradient(std::vector<double>& input, const std::vector<double>& gradient,
                     const std::function<double()>& loss) {
  const std::vector<double> at = input;
  expect_same_gradient(gradient, central_differences(
                                     [&](const std::vector<double>& moved) {
                                       input = moved;
                                       const double value = loss();
                                       input = at;
                                       return value;
                                     },
                                     at));
}

// Adds up the batch items' own gradients, [batch, size].
std::vector<double> summed(const std::vector<double>& by_item, std::size_t size) {
  EXPECT_EQ(by_item.size() % size, 0u);
  std::vector<double> sum(size);
  for (std::size_t i = 0; i < by_item.size(); i++) sum[i % size] += by_item[i];
  return sum;
}

TEST(AttentionPoolOracle, BackwardIsTheForwardsCentralDifferences) {
  const int batch = 2, window = 5, hidden = 6;
  auto x = normals(batch * window * hidden, 1), q = normals(hidden, 2);
  const auto grad_out = normals(batch * hidden, 3);
  const auto loss = [&] {
    return weighted(oracle::attention_pool_fwd(x, q, batch, window, hidden), grad_out);
  };
  const auto grad = oracle::attention_pool_bwd(x, q, grad_out, batch, window, hidden);
  expect_gradient(x, grad.x, loss);
  expect_gradient(q, summed(grad.q, q.size()), loss);
}

TEST(VariableSelectionOracle, BackwardIsTheForwardsCentralDifferences) {
  const int features = 3, width = 4;
  oracle::VariableSelection<double> in{2,
                                       5,
                                       features,
                                       width,
                                       normals(2 * 5 * features, 1),
                                       normals(features * (features + 2 * width), 2),
                                       normals(features * (1 + 2 * width), 3)};
  const auto grad_out = normals(2 * 5 * width, 4);
  const auto loss = [&] { return weighted(oracle::variable_selection_fwd(in), grad_out); };
  const auto grad = oracle::variable_selection_bwd(in, grad_out);
  expect_gradient(in.w, summed(grad.w, in.w.size()), loss);
  expect_gradient(in.b, summed(grad.b, in.b.size()), loss);
}

TEST(CfcOracle, BackwardIsTheForwardsCentralDifferences) {
  const int batch = 2, window = 4, inputs = 3, hidden = 5;
  oracle::Cfc<double> in{batch,
                         window,
                         inputs,
                         hidden,
                         normals(batch * window * inputs, 1),
                         normals(batch * hidden, 2),
                         normals(inputs * 3 * hidden, 3),
                         normals(hidden * 3 * hidden, 4),
                         normals(3 * hidden, 5),
                         normals(hidden, 6)};
  const auto grad_out = normals(batch * window * hidden, 7);
  const auto loss = [&] { return weighted(oracle::cfc_forward(in), grad_out); };
  const auto grad = oracle::cfc_backward(in, grad_out);
  expect_gradient(in.x, grad.x, loss);
  expect_gradient(in.w_in, summed(grad.w_in, in.w_in.size()), loss);
  expect_gradient(in.w_rec, summed(grad.w_rec, in.w_rec.size()), loss);
  expect_gradient(in.b, summed(grad.b, in.b.size()), loss);
  expect_gradient(in.tau, summed(grad.tau, in.tau.size()), loss);
}

oracle::Mamba2<double> small_mamba2() {
  const int batch = 2, window = 6, width = 3, inner = 4, state = 3, heads = 2;
  const int channels = inner + 2 * state;
  return {batch,
          window,
          width,
          inner,
          state,
          heads,
          normals(batch * window * width, 1),
          normals(width * (inner + channels + heads), 2),
          normals(4 * channels, 3),
          normals(channels, 4),
          normals(heads, 5),
          normals(heads, 6),
          normals(heads, 7),
          normals(inner * width, 8)};
}

TEST(Mamba2Oracle, BackwardIsTheForwardsCentralDifferences) {
  oracle::Mamba2<double> in = small_mamba2();
  const auto grad_out = normals(in.batch * in.window * in.width, 9);
  const auto loss = [&] { return weighted(oracle::mamba2_forward(in), grad_out); };
  const auto grad = oracle::mamba2_backward(in, grad_out);
  expect_gradient(in.x, grad.x, loss);
  expect_gradient(in.in_proj, grad.in_proj, loss);
  expect_gradient(in.conv_w, grad.conv_w, loss);
  expect_gradient(in.conv_b, grad.conv_b, loss);
  expect_gradient(in.dt_bias, grad.dt_bias, loss);
  expect_gradient(in.a_log, grad.a_log, loss);
  expect_gradient(in.d, grad.d, loss);
  expect_gradient(in.out_proj, grad.out_proj, loss);
}

// State space duality: two formulas for one thing, so they differ by double's rounding only.
TEST(Mamba2Oracle, TheDualFormIsTheRecurrence) {
  const oracle::Mamba2<double> in = small_mamba2();
  const auto dual = oracle::mamba2_forward(in);
  const auto recurrent = oracle::mamba2_forward_by_recurrence(in);
  ASSERT_EQ(dual.size(), recurrent.size());
  for (std::size_t i = 0; i < dual.size(); i++) EXPECT_NEAR(dual[i], recurrent[i], 1e-12);
}

// Running error analysis must not change the values it bounds.
TEST(Rounded, HasTheValuesOfDouble) {
  const auto x = random_normals(60, 1), q = random_normals(6, 2);
  const auto plain = oracle::attention_pool_fwd(exactly<double>(x), exactly<double>(q), 2, 5, 6);
  const auto rounded =
      oracle::attention_pool_fwd(exactly<oracle::Rounded>(x), exactly<oracle::Rounded>(q), 2, 5, 6);
  ASSERT_EQ(plain.size(), rounded.size());
  for (std::size_t i = 0; i < plain.size(); i++) {
    EXPECT_EQ(plain[i], rounded[i].value);
    EXPECT_GT(rounded[i].error, 0.0);
  }
}

TEST(Rounded, KnowsCancellation) {
  const oracle::Rounded third = oracle::Rounded(1.0) / oracle::Rounded(3.0);
  const oracle::Rounded sum = oracle::Rounded(1000.0) + third;
  const oracle::Rounded back = sum - oracle::Rounded(1000.0);
  // 1000 + 1/3 was rounded at its own size, and taking the 1000 away leaves that error.
  EXPECT_NEAR(back.error, 1000.0, 2.0);
  EXPECT_LE(oracle::distance_in_bounds((1000.0f + 1.0f / 3.0f) - 1000.0f, back), 1.0);
  EXPECT_GT(oracle::distance_in_bounds(0.3335f, back), 1.0);
}

TEST(Rounded, LetsNoNanPass) {
  const oracle::Rounded one(1.0, 1.0);
  EXPECT_EQ(oracle::distance_in_bounds(std::numeric_limits<float>::quiet_NaN(), one), HUGE_VAL);
  EXPECT_EQ(oracle::distance_in_bounds(std::numeric_limits<float>::infinity(), one), HUGE_VAL);
}

}  // namespace
}  // namespace foxhunt::test
