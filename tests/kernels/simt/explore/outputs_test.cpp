// SPDX-License-Identifier: MIT
#include "kernels/simt/explore/outputs.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "dump/format/error.h"

namespace foxhunt {
namespace {

template <class T>
ExploredOutput output(const char* name, ElementType type, const std::vector<T>& values) {
  ExploredOutput result{name, type, sizeof(T), std::vector<std::byte>(values.size() * sizeof(T))};
  if (!values.empty()) std::memcpy(result.values.data(), values.data(), result.values.size());
  return result;
}

ExploredOutput floats(const char* name, const std::vector<float>& values) {
  return output(name, ElementType::f32, values);
}

TEST(Outputs, UnpackAsTheyWerePacked) {
  const std::vector<ExploredOutput> all{floats("sum", {1.5f}), floats("none", {}),
                                        output<unsigned char>("", ElementType::u8, {1, 2, 3})};
  const std::vector<ExploredOutput> again = unpack(pack(all));
  ASSERT_EQ(again.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(again[i].name, all[i].name);
    EXPECT_EQ(again[i].type, all[i].type);
    EXPECT_EQ(again[i].element_bytes, all[i].element_bytes);
    EXPECT_EQ(again[i].values, all[i].values);
  }
}

TEST(Outputs, RefuseEveryCut) {
  const std::vector<std::byte> whole = pack({floats("sum", {1.5f})});
  for (std::size_t size = 1; size < whole.size(); ++size) {
    EXPECT_THROW(unpack(std::span(whole).first(size)), Error) << size;
  }
}

TEST(Outputs, RefuseAnUnknownType) {
  std::vector<std::byte> bytes = pack({floats("sum", {1.5f})});
  bytes[8 + 3] = std::byte{200};
  EXPECT_THROW(unpack(bytes), Error);
}

TEST(OutputDifference, IsTheFirstElementOfTheFirstOutputThatDiffers) {
  const auto found = first_difference({floats("a", {1, 2}), floats("b", {1, 2, 3, 4})},
                                      {floats("a", {1, 2}), floats("b", {1, 5, 3, 6})});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->output, "b");
  EXPECT_EQ(found->type, "f32");
  EXPECT_EQ(found->index, 1u);
  EXPECT_EQ(found->differ, 2u);
  EXPECT_EQ(found->elements, 4u);
  EXPECT_EQ(found->in_order, "2");
  EXPECT_EQ(found->other, "5");
  EXPECT_EQ(found->in_order_bits, "40000000");
  EXPECT_EQ(found->other_bits, "40a00000");
}

TEST(OutputDifference, GoesByBytes) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(first_difference({floats("a", {nan})}, {floats("a", {nan})}));
  EXPECT_TRUE(first_difference({floats("a", {0.0f})}, {floats("a", {-0.0f})}));
}

TEST(OutputDifference, OfLengthsIsBehindTheShorterOne) {
  const auto found = first_difference({floats("a", {1, 2})}, {floats("a", {1, 2, 3})});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->index, 2u);
  EXPECT_EQ(found->in_order, "");
  EXPECT_EQ(found->other, "3");
  EXPECT_EQ(found->other_elements, 3u);
}

TEST(OutputDifference, NamesAnOutputThatOnlyOneHas) {
  const auto missing = first_difference({floats("a", {1}), floats("b", {2})}, {floats("a", {1})});
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->output, "b");
  EXPECT_EQ(missing->other, "");
  const auto extra = first_difference({floats("a", {1})}, {floats("a", {1}), floats("b", {2})});
  ASSERT_TRUE(extra);
  EXPECT_EQ(extra->output, "b");
  EXPECT_EQ(extra->in_order, "");
  const auto renamed = first_difference({floats("a", {1})}, {floats("c", {1})});
  ASSERT_TRUE(renamed);
  EXPECT_EQ(renamed->output, "a");
}

TEST(OutputDifference, TellsBytesOfStructuresInHexadecimal) {
  struct Pair {
    std::uint32_t a, b;
  };
  const auto found = first_difference({output<Pair>("p", ElementType::bytes, {{1, 2}})},
                                      {output<Pair>("p", ElementType::bytes, {{1, 3}})});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->in_order, "0x0000000200000001");
}

TEST(ElementTypes, AreThoseOfTheLanguage) {
  EXPECT_STREQ(name(element_type<float>()), "f32");
  EXPECT_STREQ(name(element_type<double>()), "f64");
  EXPECT_STREQ(name(element_type<int>()), "i32");
  EXPECT_STREQ(name(element_type<unsigned long long>()), "u64");
  EXPECT_STREQ(name(element_type<std::int8_t>()), "i8");
  EXPECT_STREQ(name(element_type<bool>()), "bytes");
}

}  // namespace
}  // namespace foxhunt
