// SPDX-License-Identifier: MIT
#include "dump/format/shape.h"

#include <gtest/gtest.h>

namespace foxhunt {
namespace {

TEST(Shape, RoundTripsThroughText) {
  for (const Shape& shape : {Shape{}, Shape{0}, Shape{64, 16, 8}, Shape{1, 1, 1, 1, 1, 1, 1, 1}}) {
    EXPECT_EQ(parse_shape(format_shape(shape)), shape);
  }
}

TEST(Shape, RefusesWhatItWouldNotWrite) {
  for (const char* text : {"", "x", "1x", "x1", "01", "1x-2", "1 x2", "1x1x1x1x1x1x1x1x1", "1X2",
                           "18446744073709551616"}) {
    EXPECT_FALSE(parse_shape(text)) << text;
  }
}

TEST(Shape, CountsElementsWithoutOverflow) {
  EXPECT_EQ(element_count({}), 1u);
  EXPECT_EQ(element_count({4, 0, 5}), 0u);
  EXPECT_EQ(element_count({3, 4, 5}), 60u);
  EXPECT_EQ(element_count({1ull << 32, 1ull << 32}), std::nullopt);
  EXPECT_EQ(element_count({1ull << 32, 1ull << 32, 0}), 0u);
}

TEST(Shape, GivesRowMajorCoordinates) {
  EXPECT_EQ(coordinates({3, 4, 5}, 0), (Shape{0, 0, 0}));
  EXPECT_EQ(coordinates({3, 4, 5}, 59), (Shape{2, 3, 4}));
  EXPECT_EQ(coordinates({3, 4, 5}, 27), (Shape{1, 1, 2}));
}

}  // namespace
}  // namespace foxhunt
