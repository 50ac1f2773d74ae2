// SPDX-License-Identifier: MIT
#include "kernels/update/adam_step.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/update/adam_step_oracle.h"
#include "tests/kernels/support/device_array.h"
#include "tests/kernels/support/inputs.h"
#include "tests/kernels/support/near_oracle.h"
#include "tests/kernels/support/schedules.h"

namespace foxhunt::test {
namespace {

constexpr float kScale = 0.75f;
constexpr int kSteps = 5;

struct AdamRun {
  std::vector<float> params, m, v;
  int step;
};

std::vector<float> grads_of_step(std::size_t size, int step) {
  return random_floats(size, 40 + static_cast<std::uint64_t>(step));
}

AdamRun run_adam(std::size_t size, int steps, bool scaled,
                 AdamVariant variant = AdamVariant::deterministic, std::size_t misaligned = 0) {
  const int count = static_cast<int>(size);
  DeviceArray<float> params(random_floats(size, 39), misaligned);
  DeviceArray<float> m(std::vector<float>(size, 0.0f)), v(std::vector<float>(size, 0.0f));
  DeviceArray<float> scale(std::vector<float>{kScale});
  DeviceArray<AdamState> state(std::vector<AdamState>{{0, 0.0f, 0.0f}});
  for (int step = 0; step < steps; ++step) {
    DeviceArray<float> grads(grads_of_step(size, step));
    adam_step(params.get(), m.get(), v.get(), grads.get(), count, scaled ? scale.get() : nullptr,
              state.get(), {}, nullptr, variant);
    cudaDeviceSynchronize();
  }
  return {params.read(), m.read(), v.read(), state.read()[0].step};
}

Bytes bytes_of_adam(std::size_t size, int steps, AdamVariant variant) {
  const AdamRun run = run_adam(size, steps, true, variant);
  Bytes bytes;
  append(bytes, run.params);
  append(bytes, run.m);
  append(bytes, run.v);
  return bytes;
}

class AdamStep : public testing::TestWithParam<int> {
 protected:
  std::size_t size() const { return static_cast<std::size_t>(GetParam()); }
};

// Per step m and v are rounded three times each, no rounding larger than the gradients so far; that
// a moment may cancel to far less than its terms is in the bound by the oracle's moments of |g|.
// The step itself is a quotient of the two that stays below learning_rate / (1 - beta1) by Adam's
// own bound, and is rounded a handful of times; the corrections cost 1 / (1 - beta2) = 1000 u.
TEST_P(AdamStep, FollowsTheOracleOverSteps) {
  const AdamOptions options;
  oracle::Adam exact{to_double(random_floats(size(), 39)),
                     std::vector<double>(size()),
                     std::vector<double>(size()),
                     0,
                     options.learning_rate,
                     options.beta1,
                     options.beta2,
                     options.epsilon};
  oracle::Adam magnitude = exact;
  for (int step = 0; step < kSteps; ++step) {
    const auto grads = to_double(grads_of_step(size(), step));
    exact.step_with(grads, kScale);
    magnitude.step_with(absolute(grads), kScale);
  }
  const AdamRun run = run_adam(size(), kSteps, true);
  EXPECT_EQ(run.step, kSteps);
  expect_near_oracle(run.m, exact.m, magnitude.m, 4.0 * kSteps);
  expect_near_oracle(run.v, exact.v, magnitude.v, 5.0 * kSteps);
  std::vector<double> terms = absolute(exact.params);
  for (double& term : terms) term += 1000 * options.learning_rate * kSteps;
  expect_near_oracle(run.params, exact.params, terms, kSteps + 3.0);
}

TEST_P(AdamStep, IsTheSameUnderEveryScheduleAndAlignment) {
  expect_schedule_invariant([&] { return bytes_of_adam(size(), 2, AdamVariant::deterministic); });
  EXPECT_EQ(run_adam(size(), 2, true, AdamVariant::deterministic, 1).params,
            run_adam(size(), 2, true).params);
}

INSTANTIATE_TEST_SUITE_P(Sizes, AdamStep, testing::Values(1, 3, 4, 1023, 1024, 1029, 3000));

TEST(AdamStep, MovesEveryParameterByTheLearningRateAtFirst) {
  const AdamRun run = run_adam(8, 1, false);
  const auto before = random_floats(8, 39), grads = grads_of_step(8, 0);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_NEAR(run.params[i] - before[i], std::copysign(1e-3f, -grads[i]), 1e-6);
  }
}

TEST(AdamStep, CountsStepsWithoutParametersToo) { EXPECT_EQ(run_adam(0, 2, false).step, 2); }

TEST(AdamStep, WithARacingStepCounterDependsOnTheSchedule) {
  expect_schedule_dependent("adam_step=racing_step_counter", [] {
    return bytes_of_adam(5000, 3, AdamVariant::racing_step_counter);
  });
}

}  // namespace
}  // namespace foxhunt::test
