// SPDX-License-Identifier: MIT
#include "kernels/reduce/global_norm_reduce.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/reduce/global_norm_reduce_oracle.h"
#include "tests/kernels/support/device_array.h"
#include "tests/kernels/support/inputs.h"
#include "tests/kernels/support/near_oracle.h"
#include "tests/kernels/support/schedules.h"

namespace foxhunt::test {
namespace {

// {norm, scale}
std::vector<float> global_norm(const std::vector<float>& grads, float max_norm,
                               GlobalNormVariant variant = GlobalNormVariant::deterministic,
                               std::size_t misaligned = 0) {
  const int count = static_cast<int>(grads.size());
  DeviceArray<float> in(grads, misaligned), out(2);
  DeviceArray<std::byte> workspace(global_norm_workspace(count));
  global_norm_reduce(in.get(), count, max_norm, out.get(), workspace.get(), nullptr, variant);
  return out.read();
}

class GlobalNorm : public testing::TestWithParam<int> {
 protected:
  const std::vector<float> grads_ = random_floats(static_cast<std::size_t>(GetParam()), 21);
};

// A sum of squares is rounded at most 32 + 2 + 6 times in its chunk and chunks / 64 + 6 times
// after; all terms are positive, and the root halves the relative error and adds half a unit.
TEST_P(GlobalNorm, IsTheEuclideanNormAndItsClip) {
  for (const float max_norm : {0.5f, 1e6f}) {
    const auto oracle = oracle::global_norm_reduce(to_double(grads_), max_norm);
    const std::vector<double> expected = {oracle.norm, oracle.scale};
    const double roundings = (46 + GetParam() / (64.0 * kGlobalNormChunk)) / 2 + 2;
    expect_near_oracle(global_norm(grads_, max_norm), expected, expected, roundings);
    expect_near_oracle(global_norm(grads_, max_norm, GlobalNormVariant::float_atomics), expected,
                       expected, roundings + GetParam() / (1.0 * kGlobalNormChunk));
  }
}

TEST_P(GlobalNorm, IsTheSameUnderEverySchedule) {
  expect_schedule_invariant([&] {
    Bytes bytes;
    append(bytes, global_norm(grads_, 0.5f));
    return bytes;
  });
}

TEST_P(GlobalNorm, IsTheSameWhereverItsInputLies) {
  EXPECT_EQ(global_norm(grads_, 0.5f, GlobalNormVariant::deterministic, 1),
            global_norm(grads_, 0.5f));
}

INSTANTIATE_TEST_SUITE_P(Sizes, GlobalNorm,
                         testing::Values(0, 1, 3, 255, 256, 257, kGlobalNormChunk - 1,
                                         kGlobalNormChunk, kGlobalNormChunk + 1,
                                         9 * kGlobalNormChunk + 77));

TEST(GlobalNorm, DoesNotHideWhatIsNotFinite) {
  std::vector<float> grads(100, 0.5f);
  grads[42] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(global_norm(grads, 1.0f)[0]));
  EXPECT_TRUE(std::isnan(global_norm(grads, 1.0f)[1]));
  grads[42] = 1e30f;  // its square overflows
  EXPECT_TRUE(std::isinf(global_norm(grads, 1.0f)[0]));
  EXPECT_EQ(global_norm(grads, 1.0f)[1], 0.0f);
}

// The norms of several steps: a root halves a sum's last bits away, and about one input in twenty
// has nearly the same norm in every order.
TEST(GlobalNorm, WithFloatAtomicsDependsOnTheSchedule) {
  constexpr std::size_t kSize = 16 * kGlobalNormChunk, kSteps = 6;
  const auto all = random_floats(kSteps * kSize, 22);
  expect_schedule_dependent("global_norm_reduce=float_atomics", [&] {
    Bytes bytes;
    for (auto grads = all.begin(); grads != all.end(); grads += kSize) {
      append(bytes, global_norm({grads, grads + kSize}, 0.5f, GlobalNormVariant::float_atomics));
    }
    return bytes;
  });
}

}  // namespace
}  // namespace foxhunt::test
