// SPDX-License-Identifier: MIT
#include "compare/numerics/rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "tests/support/test_seed.h"

namespace foxhunt {
namespace {

using Bytes = std::vector<std::byte>;

class RowsOf : public testing::TestWithParam<std::uint64_t> {
 protected:
  std::uint64_t row_bytes() const { return GetParam(); }

  Bytes random_rows(std::uint64_t rows, std::uint64_t stream) const {
    auto rng = test::test_rng(stream);
    Bytes bytes(rows * row_bytes());
    for (auto& b : bytes) b = static_cast<std::byte>(rng());
    return bytes;
  }

  Bytes shuffled(const Bytes& bytes) const {
    std::vector<std::uint64_t> order(bytes.size() / row_bytes());
    std::iota(order.begin(), order.end(), 0u);
    auto rng = test::test_rng(99);
    std::shuffle(order.begin(), order.end(), rng);
    Bytes result;
    for (const std::uint64_t row : order) {
      const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(row * row_bytes());
      result.insert(result.end(), begin, begin + static_cast<std::ptrdiff_t>(row_bytes()));
    }
    return result;
  }

  bool permuted(const Bytes& a, const Bytes& b) const {
    return is_row_permutation(a.data(), b.data(), a.size() / row_bytes(), row_bytes());
  }
};

// Lengths on both sides of every path through the hash.
INSTANTIATE_TEST_SUITE_P(Lengths, RowsOf,
                         testing::Values(1, 2, 3, 4, 7, 8, 9, 16, 17, 128, 129, 240, 241, 1000));

TEST_P(RowsOf, AreTheSameInAnyOrder) {
  // Few and many: one- and two-byte rows are counted when there are many.
  for (const std::uint64_t rows : {0u, 1u, 2u, 1000u, 3000u}) {
    const Bytes a = random_rows(rows, rows);
    EXPECT_TRUE(permuted(a, shuffled(a))) << rows;
  }
}

TEST_P(RowsOf, AreOthersWhenOneBitIsOther) {
  const Bytes a = random_rows(2000, 1);
  Bytes b = shuffled(a);
  b[b.size() / 2] ^= std::byte{4};
  EXPECT_FALSE(permuted(a, b));
}

TEST_P(RowsOf, AreOthersWhenOneIsThereTwiceAndAnotherNot) {
  Bytes a = random_rows(3, 2);
  for (std::uint64_t row = 0; row < 3; ++row) a[row * row_bytes()] = static_cast<std::byte>(row);
  Bytes b = a;
  std::memcpy(b.data(), b.data() + row_bytes(), row_bytes());
  EXPECT_FALSE(permuted(a, b));
}

TEST_P(RowsOf, AreTheSameWhicheverWindowsTheyCameIn) {
  const Bytes a = random_rows(5000, 3);
  RowMultiset whole;
  whole.add(a, row_bytes());
  EXPECT_EQ(whole.rows(), 5000u);
  auto rng = test::test_rng(4);
  RowMultiset windows, rest;
  for (std::uint64_t row = 0; row < 5000;) {
    const std::uint64_t take = std::min<std::uint64_t>(5000 - row, rng() % 4000);
    (rng() % 2 == 0 ? windows : rest)
        .add(std::span(a).subspan(row * row_bytes(), take * row_bytes()), row_bytes());
    row += take;
  }
  windows.add(rest);
  EXPECT_EQ(windows, whole);
}

TEST(Rows, OfTwoBytesAreCountedAlikeWhenThereAreMany) {
  // More than the four per value from which on they are counted.
  constexpr std::uint64_t kRows = 4 * 65536 + 100;
  Bytes bytes(kRows * 2);
  auto rng = test::test_rng(5);
  for (auto& b : bytes) b = static_cast<std::byte>(rng());
  RowMultiset at_once, in_pieces;
  at_once.add(bytes, 2);
  for (std::uint64_t row = 0; row < kRows; row += 50) {
    const std::uint64_t take = std::min<std::uint64_t>(50, kRows - row);
    in_pieces.add(std::span(bytes).subspan(row * 2, take * 2), 2);
  }
  EXPECT_EQ(at_once, in_pieces);
}

TEST(Rows, MovedBetweenRowsAreOthers) {
  // The same bytes cut otherwise: 2 rows of "ab" "ba" against "aa" "bb".
  const auto bytes = [](const char* text) { return std::as_bytes(std::span(text, 4)); };
  EXPECT_FALSE(is_row_permutation(bytes("abba").data(), bytes("aabb").data(), 2, 2));
  EXPECT_TRUE(is_row_permutation(bytes("abba").data(), bytes("baab").data(), 2, 2));
}

}  // namespace
}  // namespace foxhunt
