// SPDX-License-Identifier: MIT
#include "kernels/heads/mean_of_rows.h"

#include <gtest/gtest.h>

#include "kernels/heads/linear_head_oracle.h"
#include "tests/kernels/heads/expectations.h"
#include "tests/kernels/heads/floats.h"
#include "tests/kernels/heads/random_inputs.h"

namespace foxhunt::heads_test {
namespace {

Outputs mean_of(const std::vector<float>& rows) {
  Floats in(rows), mean(1);
  mean_of_rows(in.get(), static_cast<int>(rows.size()), mean.get(), nullptr);
  return {{"mean", mean.read()}};
}

class MeanOfRows : public testing::TestWithParam<std::size_t> {};

TEST_P(MeanOfRows, AgreesWithTheOracle) {
  const auto rows = RandomInputs(111).normal(GetParam());
  expect_close("mean_of_rows", mean_of(rows).at("mean"),
               {oracle::mean(oracle::exactly<Conditioned>(rows))});
}

INSTANTIATE_TEST_SUITE_P(Sizes, MeanOfRows, testing::Values(1, 2, 63, 64, 65, 129, 1000));

TEST(MeanOfNoRows, IsZero) { EXPECT_EQ(mean_of({}).at("mean"), std::vector<float>{0.0f}); }

TEST(MeanOfManyRows, KeepsItsBitsUnderEverySchedule) {
  const auto rows = RandomInputs(112).normal(1000);
  test::expect_schedule_invariant([&] { return bytes_of(mean_of(rows)); });
}

}  // namespace
}  // namespace foxhunt::heads_test
