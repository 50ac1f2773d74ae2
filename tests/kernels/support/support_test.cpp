// SPDX-License-Identifier: MIT
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/kernels/support/device_array.h"
#include "tests/kernels/support/inputs.h"
#include "tests/kernels/support/near_oracle.h"
#include "tests/kernels/support/schedules.h"
#include "tests/kernels/support/support_kernels.h"

namespace foxhunt::test {
namespace {

void fill(int before, int after) {
  DeviceArray<float> out(7, 1);
  fill_with_ones(out.get(), 7, before, after);
  EXPECT_EQ(out.read(), std::vector<float>(7, 1.0f));
}

TEST(DeviceArray, FailsATestWhoseKernelWritesNextToIt) {
  fill(0, 0);
  EXPECT_NONFATAL_FAILURE(
      {
        DeviceArray<float> out(7);
        fill_with_ones(out.get(), 7, 0, 1);
        cudaDeviceSynchronize();
      },
      "28 bytes from the first of 7 elements");
  EXPECT_NONFATAL_FAILURE(
      {
        DeviceArray<float> out(7, 1);
        fill_with_ones(out.get(), 7, 1, 0);
        cudaDeviceSynchronize();
      },
      "-4 bytes from the first of 7 elements");
}

TEST(DeviceArray, StartsAsFarFromABoundaryAsAsked) {
  for (const std::size_t misaligned : {0u, 1u, 3u}) {
    DeviceArray<float> array(5, misaligned);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.get()) % 16, misaligned * sizeof(float));
  }
}

Bytes sum_by_atomics(const std::vector<float>& values) {
  DeviceArray<float> in(values), out(1);
  add_by_atomics(in.get(), out.get());
  Bytes bytes;
  append(bytes, out.read());
  return bytes;
}

TEST(Schedules, TellASumWhoseOrderMattersFromOneWhoseDoesNot) {
  const auto dependent = [] { return sum_by_atomics({1e8f, 1.0f, -1e8f, 0.25f}); };
  const auto invariant = [] { return sum_by_atomics({1.0f, 2.0f, 4.0f, 8.0f}); };
  EXPECT_LT(first_difference(dependent), kSchedules);
  EXPECT_EQ(first_difference(invariant), kSchedules);
  expect_schedule_invariant(invariant);
  expect_schedule_dependent("a sum of four", dependent);
  EXPECT_NONFATAL_FAILURE(expect_schedule_invariant(dependent), "gives other bits, from byte");
  EXPECT_NONFATAL_FAILURE(expect_schedule_dependent("a sum of powers", invariant),
                          "a sum of powers");
}

TEST(Schedules, WillNotCompareNothing) {
  EXPECT_NONFATAL_FAILURE(first_difference([] { return Bytes(); }), "nothing to compare");
  EXPECT_NONFATAL_FAILURE(expect_schedule_invariant([] { return Bytes(); }), "nothing to compare");
}

TEST(NearOracle, AcceptsUpToItsBoundAndNoNaN) {
  const float one_up = std::nextafter(1.0f, 2.0f);
  expect_near_oracle({1.0f, one_up}, {1.0, 1.0}, {1.0, 1.0}, 2.0);
  EXPECT_NONFATAL_FAILURE(expect_near_oracle({1.0f, one_up}, {1.0, 1.0}, {1.0, 1.0}, 1.9),
                          "element 1 is");
  EXPECT_NONFATAL_FAILURE(
      expect_near_oracle({std::numeric_limits<float>::quiet_NaN()}, {1.0}, {1e30}, 1e30),
      "element 0 is nan");
  EXPECT_FATAL_FAILURE(expect_near_oracle({}, {}, {}, 1.0), "nothing to compare");
}

TEST(NearOracle, TellsARightGradientFromAWrongOne) {
  const auto f = [](const std::vector<double>& x) { return x[0] * x[0] * x[1]; };
  const auto differences = central_differences(f, {3.0, 5.0});
  expect_same_gradient({30.0, 9.0}, differences);
  EXPECT_NONFATAL_FAILURE(expect_same_gradient({30.0, 9.001}, differences), "element 1");
}

TEST(Inputs, AreTheSameForOneStreamAndDifferForTwo) {
  EXPECT_EQ(random_floats(50, 1), random_floats(50, 1));
  EXPECT_NE(random_floats(50, 1), random_floats(50, 2));
  for (const int value : random_below(200, 3, 4)) {
    EXPECT_GE(value, 0);
    EXPECT_LT(value, 3);
  }
}

}  // namespace
}  // namespace foxhunt::test
