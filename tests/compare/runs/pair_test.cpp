// SPDX-License-Identifier: MIT
#include "compare/runs/pair.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/support/test_seed.h"

namespace foxhunt {
namespace {

Entry entry(std::string_view name, std::uint32_t occurrence = 0, char group = 'g') {
  Entry e;
  e.name = name;
  e.occurrence = occurrence;
  e.group = group;
  return e;
}

std::string text(const std::vector<Pair>& pairs) {
  std::string all;
  for (const Pair& pair : pairs) {
    if (!all.empty()) all += ' ';
    all += pair.a != nullptr ? std::string(pair.a->name) : "-";
    all += pair.b != nullptr ? std::string("=") + std::string(pair.b->name) : "=-";
  }
  return all;
}

TEST(Align, PairsTheSameBuffers) {
  const std::vector<Entry> a = {entry("x"), entry("y")}, b = a;
  EXPECT_EQ(text(align(a, b)), "x=x y=y");
}

TEST(Align, FindsThemInAnotherOrder) {
  const std::vector<Entry> a = {entry("x"), entry("y"), entry("z")};
  const std::vector<Entry> b = {entry("z"), entry("x"), entry("y")};
  EXPECT_EQ(text(align(a, b)), "x=x y=y z=z");
}

TEST(Align, PutsWhatOneSideLacksWhereItWasMade) {
  const std::vector<Entry> a = {entry("x"), entry("y")};
  const std::vector<Entry> b = {entry("n"), entry("x"), entry("o"), entry("p")};
  EXPECT_EQ(text(align(a, b)), "-=n x=x -=o -=p y=-");
  EXPECT_EQ(text(align(a, {})), "x=- y=-");
  EXPECT_EQ(text(align({}, a)), "-=x -=y");
}

TEST(Align, TellsOccurrencesAndGroupsApart) {
  const std::vector<Entry> a = {entry("x", 0), entry("x", 1), entry("x", 0, 'h')};
  const std::vector<Entry> b = {entry("x", 1), entry("x", 2), entry("x", 0, 'h')};
  const auto pairs = align(a, b);
  ASSERT_EQ(pairs.size(), 4u);
  EXPECT_EQ(pairs[0].b, nullptr);
  EXPECT_EQ(pairs[1].b, &b[0]);
}

TEST(Align, LosesNothingWhateverTheOrder) {
  auto rng = test::test_rng(1);
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) names.push_back("n" + std::to_string(i));
  for (int round = 0; round < 300; ++round) {
    std::vector<Entry> a, b;
    for (const auto& name : names) {
      if (rng() % 3 != 0) a.push_back(entry(name));
      if (rng() % 3 != 0) b.push_back(entry(name));
    }
    std::shuffle(b.begin(), b.end(), rng);
    std::size_t in_a = 0, in_b = 0;
    for (const Pair& pair : align(a, b)) {
      in_a += pair.a != nullptr;
      in_b += pair.b != nullptr;
      if (pair.a != nullptr && pair.b != nullptr) {
        EXPECT_EQ(pair.a->name, pair.b->name);
      }
      if (pair.a == nullptr) {
        EXPECT_TRUE(std::none_of(a.begin(), a.end(),
                                 [&](const Entry& e) { return e.name == pair.b->name; }));
      }
    }
    EXPECT_EQ(in_a, a.size());
    EXPECT_EQ(in_b, b.size());
  }
}

Entry recorded(DType dtype, std::string_view shape) {
  Entry e = entry("x");
  e.logged = true;
  e.dtype = dtype;
  e.shape = shape;
  return e;
}

TEST(Agree, RefusesAnotherDtype) {
  const Contract contract = agree(recorded(DType::f32, "4x8"), recorded(DType::bf16, "4x8"));
  EXPECT_FALSE(contract.comparable);
  EXPECT_EQ(contract.why, "f32 4x8 in a, bf16 4x8 in b");
}

TEST(Agree, RefusesAnotherShapeOfTheSameSize) {
  EXPECT_FALSE(agree(recorded(DType::f32, "4x8"), recorded(DType::f32, "8x4")).comparable);
  EXPECT_FALSE(agree(recorded(DType::f32, "32"), recorded(DType::f32, "8x4")).comparable);
  EXPECT_FALSE(agree(recorded(DType::f32, "-"), recorded(DType::f32, "1")).comparable);
}

TEST(Agree, TakesAnotherNumberOfRowsForData) {
  const Contract contract = agree(recorded(DType::f32, "4x8"), recorded(DType::f32, "5x8"));
  EXPECT_TRUE(contract.comparable);
  EXPECT_FALSE(contract.shape);
}

TEST(Agree, BelievesTheLogBeforeTheProfileOfABareRun) {
  Entry bare = entry("x");
  bare.dtype = DType::f32;
  const Contract contract = agree(bare, recorded(DType::bf16, "4x8"));
  EXPECT_TRUE(contract.comparable);
  EXPECT_EQ(contract.dtype, DType::bf16);
  EXPECT_EQ(contract.shape, (Shape{4, 8}));
}

}  // namespace
}  // namespace foxhunt
