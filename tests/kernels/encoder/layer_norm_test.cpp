// SPDX-License-Identifier: MIT
#include "kernels/encoder/layer_norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "kernels/encoder/layer_norm_oracle.h"
#include "tests/kernels/support/device_array.h"
#include "tests/kernels/support/inputs.h"
#include "tests/kernels/support/near_oracle.h"
#include "tests/kernels/support/running_error.h"
#include "tests/kernels/support/schedules.h"

namespace foxhunt::test {
namespace {

constexpr float kEpsilon = 1e-5f;

struct LayerNormInputs {
  LayerNormInputs(int rows_, int cols_)
      : rows(rows_),
        cols(cols_),
        x(random_floats(size(), 71)),
        grad_out(random_floats(size(), 72)),
        gain(random_floats(static_cast<std::size_t>(cols), 73)),
        bias(random_floats(static_cast<std::size_t>(cols), 74)) {}

  std::size_t size() const {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  }

  struct Results {
    std::vector<float> out, mean, rstd, grad_x, gain_per_row, bias_per_row;
  };

  // Forward, then backward with what forward left.
  Results run(LayerNormBwdVariant variant = LayerNormBwdVariant::deterministic,
              std::size_t misaligned = 0) const {
    const auto height = static_cast<std::size_t>(rows);
    DeviceArray<float> x_(x, misaligned), gain_(gain), bias_(bias), grad_out_(grad_out);
    DeviceArray<float> out(size()), mean(height), rstd(height);
    DeviceArray<float> grad_x(size()), gain_per_row(size()), bias_per_row(size());
    layer_norm_fwd(x_.get(), gain_.get(), bias_.get(), rows, cols, kEpsilon, out.get(), mean.get(),
                   rstd.get(), nullptr);
    layer_norm_bwd(grad_out_.get(), x_.get(), gain_.get(), mean.get(), rstd.get(), rows, cols,
                   grad_x.get(), gain_per_row.get(), bias_per_row.get(), nullptr, variant);
    return {out.read(),    mean.read(),         rstd.read(),
            grad_x.read(), gain_per_row.read(), bias_per_row.read()};
  }

  Bytes bytes(LayerNormBwdVariant variant) const {
    const Results r = run(variant);
    Bytes bytes;
    for (const auto* values :
         {&r.out, &r.mean, &r.rstd, &r.grad_x, &r.gain_per_row, &r.bias_per_row}) {
      append(bytes, *values);
    }
    return bytes;
  }

  int rows, cols;
  std::vector<float> x, grad_out, gain, bias;
};

class LayerNorm : public testing::TestWithParam<std::tuple<int, int>> {
 protected:
  std::size_t index(std::size_t row, std::size_t col) const { return row * width_ + col; }
  // Roundings in a sum over a row: a lane's 1/16 of the columns, 2 joins, 2 more to the average.
  double roundings_of_a_sum() const { return inputs_.cols / 16.0 + 5; }
  // (|x| + average |x|) * rstd: what the rounded difference of x and the mean is made of.
  std::vector<double> normalised_terms() const {
    std::vector<double> terms = absolute(to_double(inputs_.x));
    for (std::size_t r = 0; r < height_; ++r) {
      double sum = 0;
      for (std::size_t c = 0; c < width_; ++c) sum += terms[index(r, c)];
      for (std::size_t c = 0; c < width_; ++c) {
        auto& term = terms[index(r, c)];
        term = (term + sum / inputs_.cols) * forward_.rstd[r];
      }
    }
    return terms;
  }

  const LayerNormInputs inputs_{std::get<0>(GetParam()), std::get<1>(GetParam())};
  const std::size_t height_ = static_cast<std::size_t>(inputs_.rows);
  const std::size_t width_ = static_cast<std::size_t>(inputs_.cols);
  const std::vector<double> x_ = to_double(inputs_.x), gain_ = to_double(inputs_.gain),
                            bias_ = to_double(inputs_.bias),
                            grad_out_ = to_double(inputs_.grad_out);
  const oracle::LayerNormForward<double> forward_ =
      oracle::layer_norm_fwd(x_, gain_, bias_, inputs_.rows, inputs_.cols, kEpsilon);
  const oracle::LayerNormBackward<double> backward_ =
      oracle::layer_norm_bwd(grad_out_, x_, gain_, inputs_.rows, inputs_.cols, kEpsilon);
};

// The mean is off by a sum's roundings of average |x|, which every difference x - mean inherits;
// the sum of their squares has positive terms, so rstd is off by its roundings relative to itself.
TEST_P(LayerNorm, NormalisesEachRow) {
  const auto results = inputs_.run();
  std::vector<double> terms = normalised_terms();
  for (std::size_t r = 0; r < height_; ++r) {
    for (std::size_t c = 0; c < width_; ++c) {
      auto& term = terms[index(r, c)];
      term = 2 * term * std::fabs(gain_[c]) + std::fabs(bias_[c]);
    }
  }
  expect_near_oracle(results.out, forward_.out, terms, roundings_of_a_sum() + 4);
  expect_near_oracle(results.rstd, forward_.rstd, forward_.rstd, roundings_of_a_sum() + 4);
}

// Averages are off by a sum's roundings of the average of their terms' magnitudes; n by a few of
// what normalised_terms() says.
TEST_P(LayerNorm, PropagatesGradients) {
  const auto results = inputs_.run();
  const std::vector<double> n = normalised_terms();
  std::vector<double> gain_terms(inputs_.size()), x_terms(inputs_.size());
  for (std::size_t r = 0; r < height_; ++r) {
    double g_sum = 0, gn_sum = 0;
    for (std::size_t c = 0; c < width_; ++c) {
      const double g = std::fabs(grad_out_[index(r, c)] * gain_[c]);
      g_sum += g;
      gn_sum += g * n[index(r, c)];
    }
    for (std::size_t c = 0; c < width_; ++c) {
      const std::size_t i = index(r, c);
      const double g = std::fabs(grad_out_[i] * gain_[c]);
      gain_terms[i] = std::fabs(grad_out_[i]) * n[i];
      x_terms[i] = forward_.rstd[r] * (g + (g_sum + 2 * n[i] * gn_sum) / inputs_.cols);
    }
  }
  const double roundings = 2 * roundings_of_a_sum() + 8;
  expect_near_oracle(results.grad_x, backward_.grad_x, x_terms, roundings);
  expect_near_oracle(results.gain_per_row, backward_.gain_per_row, gain_terms, roundings);
  EXPECT_EQ(results.bias_per_row, inputs_.grad_out);
}

TEST_P(LayerNorm, StaysWithinItsOraclesRunningError) {
  const auto results = inputs_.run();
  const auto x = exactly<oracle::Rounded>(inputs_.x), gain = exactly<oracle::Rounded>(inputs_.gain);
  const auto forward = oracle::layer_norm_fwd(x, gain, exactly<oracle::Rounded>(inputs_.bias),
                                              inputs_.rows, inputs_.cols, kEpsilon);
  const auto backward = oracle::layer_norm_bwd(exactly<oracle::Rounded>(inputs_.grad_out), x, gain,
                                               inputs_.rows, inputs_.cols, kEpsilon);
  expect_within_running_error("layer_norm_fwd", results.out, forward.out);
  expect_within_running_error("layer_norm_bwd x", results.grad_x, backward.grad_x);
  expect_within_running_error("layer_norm_bwd gain", results.gain_per_row, backward.gain_per_row);
}

TEST_P(LayerNorm, IsTheSameUnderEveryScheduleAndAlignment) {
  expect_schedule_invariant([&] { return inputs_.bytes(LayerNormBwdVariant::deterministic); });
  const auto aligned = inputs_.run();
  const auto other = inputs_.run(LayerNormBwdVariant::deterministic, 1);
  EXPECT_EQ(other.out, aligned.out);
  EXPECT_EQ(other.grad_x, aligned.grad_x);
}

// Of the sum over all outputs, each times its grad_out.
TEST_P(LayerNorm, OraclesBackwardIsTheDerivativeOfItsForward) {
  const auto loss = [&](const std::vector<double>& x, const std::vector<double>& gain,
                        const std::vector<double>& bias) {
    const auto out =
        oracle::layer_norm_fwd(x, gain, bias, inputs_.rows, inputs_.cols, kEpsilon).out;
    double sum = 0;
    for (std::size_t i = 0; i < out.size(); ++i) sum += out[i] * grad_out_[i];
    return sum;
  };
  expect_same_gradient(
      backward_.grad_x,
      central_differences([&](const auto& x) { return loss(x, gain_, bias_); }, x_), 1e-5);
  std::vector<double> grad_gain(width_), grad_bias(width_);
  for (std::size_t r = 0; r < height_; ++r) {
    for (std::size_t c = 0; c < width_; ++c) {
      grad_gain[c] += backward_.gain_per_row[index(r, c)];
      grad_bias[c] += backward_.bias_per_row[index(r, c)];
    }
  }
  expect_same_gradient(
      grad_gain, central_differences([&](const auto& g) { return loss(x_, g, bias_); }, gain_));
  expect_same_gradient(
      grad_bias, central_differences([&](const auto& b) { return loss(x_, gain_, b); }, bias_));
}

INSTANTIATE_TEST_SUITE_P(Shapes, LayerNorm,
                         testing::Combine(testing::Values(1, 15, 16, 19),
                                          testing::Values(2, 4, 15, 16, 17, 64)));

TEST(LayerNorm, OfNoRowsWritesNothing) { EXPECT_TRUE(LayerNormInputs(0, 4).run().out.empty()); }

TEST(LayerNorm, WithAnUninitialisedTailDependsOnTheSchedule) {
  const LayerNormInputs inputs(20, 64);
  expect_schedule_dependent("layer_norm_bwd=uninitialised_tail",
                            [&] { return inputs.bytes(LayerNormBwdVariant::uninitialised_tail); });
}

}  // namespace
}  // namespace foxhunt::test
