// SPDX-License-Identifier: MIT
#include "dump/format/dtype.h"

#include <gtest/gtest.h>

#include <string>

namespace foxhunt {
namespace {

TEST(DTypeName, IsReadBackAsTheSameType) {
  for (const DType type : kAllDTypes) {
    EXPECT_EQ(parse_dtype(dtype_name(type)), type) << dtype_name(type);
  }
}

TEST(DTypeName, HasOneSpelling) {
  using namespace std::string_literals;
  for (const std::string& name :
       {""s, "F32"s, "f32 "s, " f32"s, "f3"s, "f320"s, "float32"s, "bfloat16"s, "\0f32"s, "f32\0"s,
        "\0\0u8"s, "\0\0\0\0\0u8"s, "\0"s, "\0\0\0\0\0\0\0"s}) {
    EXPECT_FALSE(parse_dtype(name)) << testing::PrintToString(name);
  }
}

}  // namespace
}  // namespace foxhunt
