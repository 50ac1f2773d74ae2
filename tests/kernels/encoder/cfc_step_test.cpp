// SPDX-License-Identifier: MIT
#include "kernels/encoder/cfc_step.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/encoder/cfc_step_oracle.h"
#include "tests/kernels/encoder/sizes.h"
#include "tests/kernels/support/device_array.h"
#include "tests/kernels/support/inputs.h"
#include "tests/kernels/support/running_error.h"
#include "tests/kernels/support/schedules.h"

namespace foxhunt::test {
namespace {

// Inputs on both sides, and the op run on them.
struct Stepping {
  explicit Stepping(const EncoderSizes& s)
      : sizes(s),
        x(random_normals(count(s.batch, s.window, s.width), 1)),
        h_t(random_normals(count(s.batch, s.hidden), 2)),
        w_in(scaled(random_normals(count(s.width, 3, s.hidden), 3), s.width)),
        w_rec(scaled(random_normals(count(s.hidden, 3, s.hidden), 4), s.hidden)),
        b(random_normals(count(3, s.hidden), 5)),
        tau(random_normals(count(s.hidden), 6)),
        grad_out(random_normals(count(s.batch, s.window, s.hidden), 7)) {}

  struct Outputs {
    std::vector<float> out, gates, grad_x, grad_w_in, grad_w_rec, grad_b, grad_tau, grad_gates;
    Bytes bytes() const {
      Bytes all;
      for (const auto* part :
           {&out, &gates, &grad_x, &grad_w_in, &grad_w_rec, &grad_b, &grad_tau, &grad_gates}) {
        append(all, *part);
      }
      return all;
    }
  };
  // Forward and backward.
  Outputs run(CfcBackwardVariant variant = CfcBackwardVariant::deterministic) const {
    const auto [batch, window, features, width, hidden, state, heads] = sizes;
    DeviceArray<float> device_x(x), device_h(h_t), device_w_in(w_in), device_w_rec(w_rec),
        device_b(b), device_tau(tau), g(grad_out);
    DeviceArray<float> out(grad_out.size()), gates(3 * grad_out.size());
    DeviceArray<float> grad_x(x.size()), grad_w_in(count(batch) * w_in.size()),
        grad_w_rec(count(batch) * w_rec.size()), grad_b(count(batch) * b.size()),
        grad_tau(count(batch) * tau.size()), grad_gates(gates.size());
    const CfcParameters parameters{device_w_in.get(), device_w_rec.get(), device_b.get(),
                                   device_tau.get()};
    cfc_step_forward_batched(device_x.get(), device_h.get(), parameters, batch, window, width,
                             hidden, out.get(), gates.get(), nullptr);
    cfc_step_backward_batched(device_x.get(), device_h.get(), parameters, out.get(), gates.get(),
                              g.get(), batch, window, width, hidden,
                              {grad_x.get(), grad_w_in.get(), grad_w_rec.get(), grad_b.get(),
                               grad_tau.get(), grad_gates.get()},
                              nullptr, variant);
    return {out.read(),        gates.read(),  grad_x.read(),   grad_w_in.read(),
            grad_w_rec.read(), grad_b.read(), grad_tau.read(), grad_gates.read()};
  }

  oracle::Cfc<oracle::Rounded> exact() const {
    using oracle::Rounded;
    return {sizes.batch,
            sizes.window,
            sizes.width,
            sizes.hidden,
            exactly<Rounded>(x),
            exactly<Rounded>(h_t),
            exactly<Rounded>(w_in),
            exactly<Rounded>(w_rec),
            exactly<Rounded>(b),
            exactly<Rounded>(tau)};
  }

  EncoderSizes sizes;
  std::vector<float> x, h_t, w_in, w_rec, b, tau, grad_out;
};

class Cfc : public testing::TestWithParam<EncoderSizes> {};

// Each step judged by itself, from the state (and backwards, the gradient) with which the kernel
// came to it: over many steps a bound on everything together would grow out of all proportion.
// That is the oracle with each step as a batch item of its own.
struct OneStepOracle {
  oracle::Cfc<oracle::Rounded> steps;
  std::vector<oracle::Rounded> out;                 // [B,T,H]
  oracle::CfcGradients<oracle::Rounded> gradients;  // each step's share

  OneStepOracle(const Stepping& stepping, const Stepping::Outputs& kernel)
      : steps(stepping.exact()) {
    const auto [batch, window, features, width, hidden, state, heads] = stepping.sizes;
    steps.batch = batch * window;
    steps.window = 1;
    steps.h_t.clear();
    std::vector<oracle::Rounded> grad_out;
    for (int row = 0; row < batch * window; row++) {
      const bool first = row % window == 0, last = row % window == window - 1;
      for (int j = 0; j < hidden; j++) {
        steps.h_t.emplace_back(first ? stepping.h_t[count(row / window, hidden) + count(j)]
                                     : kernel.out[count(row - 1, hidden) + count(j)]);
        oracle::Rounded from_next = 0.0;
        for (int c = 0; c < 3 * hidden && !last; c++) {
          from_next += oracle::Rounded(kernel.grad_gates[count(row + 1, 3, hidden) + count(c)]) *
                       oracle::Rounded(stepping.w_rec[count(j, 3, hidden) + count(c)]);
        }
        grad_out.push_back(from_next +
                           oracle::Rounded(stepping.grad_out[count(row, hidden) + count(j)]));
      }
    }
    out = oracle::cfc_forward(steps);
    gradients = oracle::cfc_backward(steps, grad_out);
  }

  // [B*T,size] summed over T.
  static std::vector<oracle::Rounded> over_window(const std::vector<oracle::Rounded>& shares,
                                                  int window, std::size_t size) {
    std::vector<oracle::Rounded> sums(shares.size() / count(window));
    for (std::size_t i = 0; i < shares.size(); i++) {
      sums[i / size / count(window) * size + i % size] += shares[i];
    }
    return sums;
  }
};

TEST_P(Cfc, EveryStepIsWithinTheRunningErrorOfTheOracle) {
  const Stepping stepping(GetParam());
  const auto got = stepping.run();
  const OneStepOracle expected(stepping, got);
  const auto& grad = expected.gradients;
  const int window = stepping.sizes.window;
  const auto summed = [&](const std::vector<oracle::Rounded>& shares, std::size_t size) {
    return OneStepOracle::over_window(shares, window, size);
  };
  expect_within_running_error("cfc_step_forward_batched", got.out, expected.out);
  // One step's gradient at b is that at its gates.
  expect_within_running_error("cfc_step_backward_batched gates", got.grad_gates, grad.b);
  expect_within_running_error("cfc_step_backward_batched x", got.grad_x, grad.x);
  expect_within_running_error("cfc_step_backward_batched w_in", got.grad_w_in,
                              summed(grad.w_in, stepping.w_in.size()));
  expect_within_running_error("cfc_step_backward_batched w_rec", got.grad_w_rec,
                              summed(grad.w_rec, stepping.w_rec.size()));
  expect_within_running_error("cfc_step_backward_batched b", got.grad_b,
                              summed(grad.b, stepping.b.size()));
  expect_within_running_error("cfc_step_backward_batched tau", got.grad_tau,
                              summed(grad.tau, stepping.tau.size()));
}

TEST(CfcWindow, IsWithinTheRunningErrorOfTheOracle) {
  const Stepping stepping(small_encoder());
  const auto got = stepping.run();
  const auto exact = stepping.exact();
  expect_within_running_error("cfc window", got.out, oracle::cfc_forward(exact));
  const auto expected = oracle::cfc_backward(exact, exactly<oracle::Rounded>(stepping.grad_out));
  expect_within_running_error("cfc window x", got.grad_x, expected.x);
  expect_within_running_error("cfc window w_in", got.grad_w_in, expected.w_in);
  expect_within_running_error("cfc window w_rec", got.grad_w_rec, expected.w_rec);
  expect_within_running_error("cfc window b", got.grad_b, expected.b);
  expect_within_running_error("cfc window tau", got.grad_tau, expected.tau);
}

TEST_P(Cfc, IsTheSameUnderEverySchedule) {
  const Stepping stepping(GetParam());
  expect_schedule_invariant([&] { return stepping.run().bytes(); }, schedules_of(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Sizes, Cfc, testing::ValuesIn(encoder_sizes()));

TEST(CfcBackward, FloatAtomicsDependOnTheSchedule) {
  const Stepping stepping(small_encoder());
  expect_schedule_dependent("cfc_step_backward_batched=float_atomics", [&] {
    return stepping.run(CfcBackwardVariant::float_atomics).bytes();
  });
}

TEST(CfcBackward, FloatAtomicsComputeTheGradientToo) {
  const Stepping stepping(small_encoder());
  const auto got = stepping.run(CfcBackwardVariant::float_atomics);
  const auto expected =
      oracle::cfc_backward(stepping.exact(), exactly<oracle::Rounded>(stepping.grad_out));
  // Parts of the window are summed in another order than the oracle's.
  expect_within_running_error("float_atomics w_in", got.grad_w_in, expected.w_in, 2.0);
  expect_within_running_error("float_atomics w_rec", got.grad_w_rec, expected.w_rec, 2.0);
  expect_within_running_error("float_atomics b", got.grad_b, expected.b, 2.0);
}

}  // namespace
}  // namespace foxhunt::test
