// SPDX-License-Identifier: MIT
#include "kernels/replay/rl_per_update_priorities.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/replay/replay_oracle.h"
#include "tests/kernels/support/device_array.h"
#include "tests/kernels/support/inputs.h"
#include "tests/kernels/support/near_oracle.h"
#include "tests/kernels/support/schedules.h"

namespace foxhunt::test {
namespace {

constexpr PriorityOptions kOptions{0.6f, 1e-3f};

struct PriorityUpdate {
  int batch, capacity, head, pushed;

  std::vector<float> before() const {
    auto priorities = random_floats(static_cast<std::size_t>(capacity) + 1, 111, 3);
    for (float& p : priorities) p = std::fabs(p);
    priorities.back() = 1.25f;
    return priorities;
  }
  std::vector<int> sampled() const {
    return random_below(static_cast<std::size_t>(batch), capacity, 112);
  }
  std::vector<float> td_error() const {
    return random_floats(static_cast<std::size_t>(batch), 113);
  }

  std::vector<float> run(const std::vector<float>& errors) const {
    DeviceArray<int> index(sampled()), ring_head(std::vector<int>{head});
    DeviceArray<float> td(errors), priorities(before());
    rl_per_update_priorities(index.get(), td.get(), batch, ring_head.get(), pushed, capacity,
                             kOptions, priorities.get(), nullptr);
    return priorities.read();
  }
};

class UpdatePriorities : public testing::TestWithParam<std::tuple<int, int, int, int>> {
 protected:
  const PriorityUpdate update_{std::get<0>(GetParam()), std::get<1>(GetParam()),
                               std::get<2>(GetParam()), std::get<3>(GetParam())};
};

// exp(alpha log x) with an error in the logarithm of an ULP, amplified by alpha and |log x| < 8.
TEST_P(UpdatePriorities, FollowsTheOracle) {
  const auto oracle = oracle::update_priorities(
      to_double(update_.before()), update_.sampled(), to_double(update_.td_error()), update_.head,
      update_.pushed, static_cast<double>(kOptions.alpha), static_cast<double>(kOptions.epsilon));
  expect_near_oracle(update_.run(update_.td_error()), oracle, oracle, 12);
}

TEST_P(UpdatePriorities, IsTheSameUnderEverySchedule) {
  expect_schedule_invariant([&] {
    Bytes bytes;
    append(bytes, update_.run(update_.td_error()));
    return bytes;
  });
}

// {batch, capacity, head, pushed}; small rings, so that slots are sampled twice and filled anew.
INSTANTIATE_TEST_SUITE_P(Sizes, UpdatePriorities,
                         testing::Values(std::tuple(0, 16, 3, 4), std::tuple(1, 1, 0, 0),
                                         std::tuple(16, 16, 2, 5), std::tuple(64, 32, 31, 0),
                                         std::tuple(100, 64, 7, 64), std::tuple(64, 1024, 5, 8)));

TEST(UpdatePriorities, KeepsAnErrorThatIsNaNOutOfTheMaximum) {
  const PriorityUpdate update{8, 64, 3, 4};
  auto errors = update.td_error();
  errors[7] = std::numeric_limits<float>::quiet_NaN();
  const auto after = update.run(errors);
  EXPECT_TRUE(std::isnan(after[static_cast<std::size_t>(update.sampled()[7])]));
  EXPECT_GE(after.back(), 1.25f);
}

}  // namespace
}  // namespace foxhunt::test
