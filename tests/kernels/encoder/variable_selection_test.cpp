// SPDX-License-Identifier: MIT
#include "kernels/encoder/variable_selection.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/encoder/variable_selection_oracle.h"
#include "tests/kernels/encoder/sizes.h"
#include "tests/kernels/support/device_array.h"
#include "tests/kernels/support/inputs.h"
#include "tests/kernels/support/running_error.h"
#include "tests/kernels/support/schedules.h"

namespace foxhunt::test {
namespace {

// Inputs on both sides, and the op run on them.
struct Selecting {
  explicit Selecting(const EncoderSizes& s)
      : sizes(s),
        x(random_normals(count(s.batch, s.window, s.features), 1)),
        w(random_normals(count(s.features, s.features + 2 * s.width), 2)),
        b(random_normals(count(s.features, 1 + 2 * s.width), 3)),
        grad_out(random_normals(count(s.batch, s.window, s.width), 4)) {}

  std::vector<float> forward() const {
    DeviceArray<float> device_x(x), device_w(w), device_b(b), out(grad_out.size());
    variable_selection_fwd(device_x.get(), device_w.get(), device_b.get(), sizes.batch,
                           sizes.window, sizes.features, sizes.width, out.get(), nullptr);
    return out.read();
  }

  struct Gradients {
    std::vector<float> w, b;
    Bytes bytes() const {
      Bytes all;
      append(all, w);
      append(all, b);
      return all;
    }
  };
  Gradients backward(
      VariableSelectionBwdVariant variant = VariableSelectionBwdVariant::deterministic) const {
    DeviceArray<float> device_x(x), device_w(w), device_b(b), g(grad_out);
    DeviceArray<float> grad_w(count(sizes.batch) * w.size()), grad_b(count(sizes.batch) * b.size());
    variable_selection_bwd(device_x.get(), device_w.get(), device_b.get(), g.get(), sizes.batch,
                           sizes.window, sizes.features, sizes.width, grad_w.get(), grad_b.get(),
                           nullptr, variant);
    return {grad_w.read(), grad_b.read()};
  }

  oracle::VariableSelection<oracle::Rounded> exact() const {
    return {sizes.batch,
            sizes.window,
            sizes.features,
            sizes.width,
            exactly<oracle::Rounded>(x),
            exactly<oracle::Rounded>(w),
            exactly<oracle::Rounded>(b)};
  }

  EncoderSizes sizes;
  std::vector<float> x, w, b, grad_out;
};

class VariableSelection : public testing::TestWithParam<EncoderSizes> {};

TEST_P(VariableSelection, ForwardIsWithinTheRunningErrorOfTheOracle) {
  const Selecting selecting(GetParam());
  expect_within_running_error("variable_selection_fwd", selecting.forward(),
                              oracle::variable_selection_fwd(selecting.exact()));
}

TEST_P(VariableSelection, BackwardIsWithinTheRunningErrorOfTheOracle) {
  const Selecting selecting(GetParam());
  const auto got = selecting.backward();
  const auto expected = oracle::variable_selection_bwd(
      selecting.exact(), exactly<oracle::Rounded>(selecting.grad_out));
  expect_within_running_error("variable_selection_bwd w", got.w, expected.w);
  expect_within_running_error("variable_selection_bwd b", got.b, expected.b);
}

TEST_P(VariableSelection, IsTheSameUnderEverySchedule) {
  const Selecting selecting(GetParam());
  expect_schedule_invariant(
      [&] {
        Bytes bytes = selecting.backward().bytes();
        append(bytes, selecting.forward());
        return bytes;
      },
      schedules_of(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Sizes, VariableSelection, testing::ValuesIn(encoder_sizes()));

TEST(VariableSelectionBwd, MissingBarrierDependsOnTheSchedule) {
  const Selecting selecting(small_encoder());
  expect_schedule_dependent("variable_selection_bwd=missing_barrier", [&] {
    return selecting.backward(VariableSelectionBwdVariant::missing_barrier).bytes();
  });
}

}  // namespace
}  // namespace foxhunt::test
