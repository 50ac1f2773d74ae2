// SPDX-License-Identifier: MIT
#include "kernels/reduce/layer_norm_reduce_param_grads.h"

#include <gtest/gtest.h>

#include <tuple>

#include "kernels/reduce/reduce_axis0.h"
#include "kernels/reduce/reduce_axis0_oracle.h"
#include "tests/kernels/support/device_array.h"
#include "tests/kernels/support/inputs.h"
#include "tests/kernels/support/near_oracle.h"
#include "tests/kernels/support/schedules.h"

namespace foxhunt::test {
namespace {

struct ParamGrads {
  std::vector<float> gain, bias;
};

struct Layer {
  Layer(int rows_, int cols_) : rows(rows_), cols(cols_) {
    const auto size = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
    gain = random_floats(size, 11), bias = random_floats(size, 12);
  }

  ParamGrads reduce(LayerNormReduceVariant variant = LayerNormReduceVariant::deterministic) const {
    const auto width = static_cast<std::size_t>(cols);
    DeviceArray<float> gain_in(gain), bias_in(bias), grad_gain(width), grad_bias(width);
    DeviceArray<std::byte> workspace(layer_norm_reduce_workspace(cols, variant));
    layer_norm_reduce_param_grads(gain_in.get(), bias_in.get(), rows, cols, grad_gain.get(),
                                  grad_bias.get(), workspace.get(), nullptr, variant);
    return {grad_gain.read(), grad_bias.read()};
  }

  Bytes bytes(LayerNormReduceVariant variant) const {
    const ParamGrads grads = reduce(variant);
    Bytes bytes;
    append(bytes, grads.gain);
    append(bytes, grads.bias);
    return bytes;
  }

  int rows, cols;
  std::vector<float> gain, bias;  // per row
};

class LayerNormReduce : public testing::TestWithParam<std::tuple<int, int>> {
 protected:
  const Layer layer_{std::get<0>(GetParam()), std::get<1>(GetParam())};
};

// The bound is reduce_axis0's.
TEST_P(LayerNormReduce, SumsBothOverTheRows) {
  const auto expect = [&](const std::vector<float>& sums, const std::vector<float>& per_row) {
    expect_near_oracle(sums, oracle::reduce_axis0(to_double(per_row), layer_.rows, layer_.cols),
                       oracle::reduce_axis0(absolute(to_double(per_row)), layer_.rows, layer_.cols),
                       layer_.rows / 8.0 + 4);
  };
  const ParamGrads grads = layer_.reduce();
  expect(grads.gain, layer_.gain);
  expect(grads.bias, layer_.bias);
}

TEST_P(LayerNormReduce, AddsInTheOrderOfReduceAxis0) {
  const ParamGrads grads = layer_.reduce();
  DeviceArray<float> in(layer_.gain), out(static_cast<std::size_t>(layer_.cols));
  reduce_axis0(in.get(), layer_.rows, layer_.cols, out.get(), nullptr, nullptr);
  EXPECT_EQ(out.read(), grads.gain);
}

TEST_P(LayerNormReduce, IsTheSameUnderEverySchedule) {
  expect_schedule_invariant([&] { return layer_.bytes(LayerNormReduceVariant::deterministic); });
}

INSTANTIATE_TEST_SUITE_P(Shapes, LayerNormReduce,
                         testing::Combine(testing::Values(0, 1, 8, 67),
                                          testing::Values(1, 32, 33, 68)));

TEST(LayerNormReduce, WithoutItsFenceDependsOnTheSchedule) {
  if (!instrumented()) GTEST_SKIP() << "stores become visible late in the instrumented build only";
  const Layer layer(64, 64);
  expect_schedule_dependent("layer_norm_reduce_param_grads=last_block_no_fence", [&] {
    return layer.bytes(LayerNormReduceVariant::last_block_no_fence);
  });
}

}  // namespace
}  // namespace foxhunt::test
