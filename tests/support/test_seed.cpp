// SPDX-License-Identifier: MIT
#include "tests/support/test_seed.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

namespace foxhunt::test {
namespace {

class PrintSeedOnFailure : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo& info) override {
    if (info.result()->Failed()) {
      std::cerr << "to repeat: FOXHUNT_TEST_SEED=" << test_seed() << "\n";
    }
  }
};

std::uint64_t read_seed() {
  testing::UnitTest::GetInstance()->listeners().Append(new PrintSeedOnFailure);
  const char* text = std::getenv("FOXHUNT_TEST_SEED");
  return text == nullptr ? 20261201 : std::strtoull(text, nullptr, 10);
}

}  // namespace

std::uint64_t test_seed() {
  static const std::uint64_t seed = read_seed();
  return seed;
}

std::mt19937_64 test_rng(std::uint64_t stream) {
  std::seed_seq sequence{test_seed(), stream};
  return std::mt19937_64(sequence);
}

}  // namespace foxhunt::test
