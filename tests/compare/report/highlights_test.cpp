// SPDX-License-Identifier: MIT
#include "compare/report/highlights.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/compare/report/sample.h"

namespace foxhunt {
namespace {

BufferResult diverged(std::uint32_t rank, std::uint64_t step, const std::string& name,
                      bool benign = false) {
  BufferResult result = test::diverged_buffer();
  result.rank = rank;
  result.step = step;
  result.name = name;
  result.permuted_rows = result.order_free = benign;
  return result;
}

TEST(Highlights, KeepTheFirstDivergentStep) {
  Highlights highlights;
  highlights.buffer(test::equal_buffer());
  EXPECT_FALSE(highlights.first_step());
  highlights.buffer(diverged(0, 5, "x"));
  highlights.buffer(diverged(0, 5, "y"));
  highlights.buffer(diverged(0, 6, "z"));
  ASSERT_TRUE(highlights.first_step());
  EXPECT_EQ(highlights.first_step()->step, 5u);
  EXPECT_EQ(highlights.first_step()->diverged, 2u);
}

TEST(Highlights, PreferTheRankThatDivergedFirst) {
  Highlights highlights;
  highlights.buffer(diverged(0, 5, "x"));
  highlights.buffer(diverged(1, 3, "y"));
  highlights.buffer(diverged(2, 3, "z"));
  EXPECT_EQ(highlights.first_step()->rank, 1u);
  EXPECT_EQ(highlights.first_step()->diverged, 1u);
}

TEST(Highlights, ForgetBenignDifferencesOnceThereAreOthers) {
  Highlights highlights;
  highlights.buffer(diverged(0, 1, "slots", true));
  EXPECT_EQ(highlights.first_step()->step, 1u);
  highlights.buffer(diverged(0, 2, "x"));
  highlights.buffer(diverged(0, 2, "slots", true));
  EXPECT_EQ(highlights.first_step()->step, 2u);
  EXPECT_EQ(highlights.first_step()->diverged, 1u);
}

TEST(Highlights, KeepABoundedNumberAndCountAll) {
  Highlights highlights;
  for (int i = 0; i < 1000; ++i) highlights.buffer(diverged(0, 0, "x"));
  EXPECT_EQ(highlights.first_step()->buffers.size(), Highlights::kMaxKept);
  EXPECT_EQ(highlights.first_step()->diverged, 1000u);
}

TEST(Highlights, FindTheToleranceThatWouldPassEverything) {
  Highlights highlights;
  BufferResult result = diverged(0, 0, "x");
  result.tolerance = ToleranceResult{0.1, 0, true, 0.05, 0.5, 0};
  highlights.buffer(result);
  result.name = "y";
  result.tolerance =
      ToleranceResult{0.1, 0, false, std::numeric_limits<double>::infinity(), 0.25, 3};
  highlights.buffer(result);
  ASSERT_TRUE(highlights.tolerance());
  EXPECT_EQ(highlights.tolerance()->buffers, 2u);
  EXPECT_EQ(highlights.tolerance()->outside, 1u);
  EXPECT_EQ(highlights.tolerance()->worst_rtol, "y");
  EXPECT_EQ(highlights.tolerance()->worst_atol, "x");
  EXPECT_EQ(highlights.tolerance()->smallest_atol, 0.5);
}

}  // namespace
}  // namespace foxhunt
