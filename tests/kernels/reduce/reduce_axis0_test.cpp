// SPDX-License-Identifier: MIT
#include "kernels/reduce/reduce_axis0.h"

#include <gtest/gtest.h>

#include <tuple>

#include "kernels/reduce/reduce_axis0_oracle.h"
#include "tests/kernels/support/device_array.h"
#include "tests/kernels/support/inputs.h"
#include "tests/kernels/support/near_oracle.h"
#include "tests/kernels/support/schedules.h"

namespace foxhunt::test {
namespace {

struct Shape {
  int rows, cols;
  std::size_t size() const {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  }
};

std::vector<float> sum_rows(const std::vector<float>& scratch, Shape shape,
                            ReduceAxis0Variant variant = ReduceAxis0Variant::deterministic,
                            std::size_t misaligned = 0) {
  DeviceArray<float> in(scratch, misaligned), out(static_cast<std::size_t>(shape.cols));
  DeviceArray<std::byte> workspace(reduce_axis0_workspace(shape.cols, variant));
  reduce_axis0(in.get(), shape.rows, shape.cols, out.get(), workspace.get(), nullptr, variant);
  return out.read();
}

Bytes bytes_of_variant(const std::vector<float>& scratch, Shape shape, ReduceAxis0Variant variant) {
  Bytes bytes;
  append(bytes, sum_rows(scratch, shape, variant));
  return bytes;
}

class ReduceAxis0 : public testing::TestWithParam<std::tuple<int, int>> {
 protected:
  const Shape shape_{std::get<0>(GetParam()), std::get<1>(GetParam())};
  const std::vector<float> scratch_ = random_floats(shape_.size(), 1);
};

// A partial sum is rounded at most rows / 8 + 3 times, each time by at most u times the sum of the
// magnitudes in it.
TEST_P(ReduceAxis0, IsTheSumOfTheRows) {
  const auto oracle = oracle::reduce_axis0(to_double(scratch_), shape_.rows, shape_.cols);
  const auto terms = oracle::reduce_axis0(absolute(to_double(scratch_)), shape_.rows, shape_.cols);
  const double roundings = shape_.rows / 8.0 + 4;
  expect_near_oracle(sum_rows(scratch_, shape_), oracle, terms, roundings);
  for (const auto variant :
       {ReduceAxis0Variant::float_atomics, ReduceAxis0Variant::last_block_no_fence}) {
    expect_near_oracle(sum_rows(scratch_, shape_, variant), oracle, terms, roundings + 8);
  }
}

TEST_P(ReduceAxis0, IsTheSameUnderEverySchedule) {
  expect_schedule_invariant(
      [&] { return bytes_of_variant(scratch_, shape_, ReduceAxis0Variant::deterministic); });
}

TEST_P(ReduceAxis0, IsTheSameWhereverItsInputLies) {
  for (const std::size_t misaligned : {1u, 2u, 3u}) {
    EXPECT_EQ(sum_rows(scratch_, shape_, ReduceAxis0Variant::deterministic, misaligned),
              sum_rows(scratch_, shape_));
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, ReduceAxis0,
                         testing::Combine(testing::Values(0, 1, 7, 8, 9, 64, 131),
                                          testing::Values(1, 3, 4, 31, 32, 33, 68)));

TEST(ReduceAxis0, OfNoColumnsWritesNothing) { EXPECT_TRUE(sum_rows({}, {5, 0}).empty()); }

TEST(ReduceAxis0, WithFloatAtomicsDependsOnTheSchedule) {
  const Shape shape{64, 64};
  const auto scratch = random_floats(shape.size(), 2);
  expect_schedule_dependent("reduce_axis0=float_atomics", [&] {
    return bytes_of_variant(scratch, shape, ReduceAxis0Variant::float_atomics);
  });
}

TEST(ReduceAxis0, WithoutItsFenceDependsOnTheSchedule) {
  if (!instrumented()) GTEST_SKIP() << "stores become visible late in the instrumented build only";
  const Shape shape{64, 64};
  const auto scratch = random_floats(shape.size(), 2);
  expect_schedule_dependent("reduce_axis0=last_block_no_fence", [&] {
    return bytes_of_variant(scratch, shape, ReduceAxis0Variant::last_block_no_fence);
  });
}

}  // namespace
}  // namespace foxhunt::test
