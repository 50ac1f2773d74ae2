// SPDX-License-Identifier: MIT
#include "kernels/update/target_update.h"

#include <gtest/gtest.h>

#include "kernels/update/target_update_oracle.h"
#include "tests/kernels/support/device_array.h"
#include "tests/kernels/support/inputs.h"
#include "tests/kernels/support/near_oracle.h"
#include "tests/kernels/support/schedules.h"

namespace foxhunt::test {
namespace {

class TargetUpdate : public testing::TestWithParam<int> {
 protected:
  std::vector<float> update(float tau, std::size_t misaligned = 0) {
    DeviceArray<float> params(params_, misaligned), target(target_);
    target_update(params.get(), target.get(), GetParam(), tau, nullptr);
    return target.read();
  }

  const std::vector<float> params_ = random_floats(static_cast<std::size_t>(GetParam()), 31);
  const std::vector<float> target_ = random_floats(static_cast<std::size_t>(GetParam()), 32);
};

// Two roundings, of the difference and of the fma, neither of more than |params| + |target|.
TEST_P(TargetUpdate, MovesTheTargetByTau) {
  for (const float tau : {0.0f, 0.005f, 1.0f}) {
    auto terms = absolute(to_double(params_));
    for (std::size_t i = 0; i < terms.size(); ++i) terms[i] += std::abs(target_[i]);
    expect_near_oracle(update(tau),
                       oracle::target_update(to_double(params_), to_double(target_), tau), terms,
                       2.0);
  }
}

TEST_P(TargetUpdate, IsTheSameUnderEveryScheduleAndAlignment) {
  expect_schedule_invariant([&] {
    Bytes bytes;
    append(bytes, update(0.005f));
    return bytes;
  });
  EXPECT_EQ(update(0.005f, 1), update(0.005f));
}

INSTANTIATE_TEST_SUITE_P(Sizes, TargetUpdate, testing::Values(1, 3, 4, 1023, 1024, 1029, 3000));

TEST(TargetUpdate, OfNothingIsNothing) {
  DeviceArray<float> params(0), target(0);
  target_update(params.get(), target.get(), 0, 0.5f, nullptr);
  EXPECT_TRUE(target.read().empty());
}

}  // namespace
}  // namespace foxhunt::test
