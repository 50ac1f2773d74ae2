// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <string>

#include "tests/kernels/math/functions.h"

namespace foxhunt::test {
namespace {

// Each function in a test of its own, so that ctest spreads them over the cores; about half a
// minute each.
class EveryFloat : public testing::TestWithParam<std::size_t> {};

TEST_P(EveryFloat, HasTheExpectedResult) {
  const Function& f = functions_contracted()[GetParam()];
  EXPECT_EQ(hash_results(f.call, 1), expected_hashes()[GetParam()].all) << f.name;
}

INSTANTIATE_TEST_SUITE_P(Elementary, EveryFloat,
                         testing::Range<std::size_t>(0, functions_contracted().size()),
                         [](const auto& test) {
                           return std::string(functions_contracted()[test.param].name);
                         });

}  // namespace
}  // namespace foxhunt::test
