// SPDX-License-Identifier: MIT
#include "dump/format/digest.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "tests/support/test_seed.h"

namespace foxhunt {
namespace {

std::vector<std::byte> random_bytes(std::size_t size, std::uint64_t stream) {
  auto rng = test::test_rng(stream);
  std::vector<std::byte> bytes(size);
  for (auto& b : bytes) b = static_cast<std::byte>(rng());
  return bytes;
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// Expected values were printed by `printf … | xxhsum -H2` and `xxhsum -H3` (xxHash 0.8.1).
TEST(PayloadDigest, IsWhatXxhsumPrints) {
  EXPECT_EQ(format_digest(payload_digest({})), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(format_digest(payload_digest(bytes_of("foxhunt"))), "c54b2648493ae2b53d22063910624180");
}

TEST(ChunkWord, IsWhatXxhsumPrintsOfThePaddedChunk) {
  std::uint64_t word = 0;
  chunk_words(bytes_of("foxhunt"), std::span(&word, 1));
  EXPECT_EQ(fmt::format("{:016x}", word), "6b745a58af568c93");
}

TEST(ChunkedDigest, IsThePayloadDigestOfWordsAndLength) {
  for (const std::size_t size :
       {0u, 1u, 1023u, 1024u, 1025u, 16383u, 16384u, 16385u, 100000u, 1u << 20}) {
    const auto bytes = random_bytes(size, size);
    std::vector<std::uint64_t> words(chunk_count(size));
    chunk_words(bytes, words);
    std::vector<std::byte> layout(words.size() * 8 + 8);
    if (size > 0) std::memcpy(layout.data(), words.data(), words.size() * 8);
    const std::uint64_t length = size;
    std::memcpy(layout.data() + words.size() * 8, &length, 8);
    EXPECT_EQ(chunked_digest(words, size), payload_digest(layout)) << size;
  }
}

TEST(ChunkedDigest, TellsTrailingZerosFromPadding) {
  const std::array<std::byte, 100> zeros{};
  std::uint64_t word = 0;
  chunk_words(std::span(zeros).first(50), std::span(&word, 1));
  EXPECT_NE(chunked_digest(std::span(&word, 1), 50), chunked_digest(std::span(&word, 1), 100));
}

TEST(BufferHasher, AgreesWithTheWholeBufferHoweverItIsCut) {
  auto rng = test::test_rng(7);
  for (const std::size_t size : {0u, 1u, 1000u, 16384u, 16385u, 50000u, 1234567u}) {
    const auto bytes = random_bytes(size, 1000 + size);
    std::vector<std::uint64_t> words(chunk_count(size));
    chunk_words(bytes, words);
    BufferHasher hasher(true);
    for (std::span<const std::byte> rest = bytes; !rest.empty();) {
      const std::size_t take = std::min<std::size_t>(rest.size(), rng() % 40000 + 1);
      hasher.update(rest.first(take));
      rest = rest.subspan(take);
    }
    const auto result = hasher.finish();
    EXPECT_EQ(result.bytes, size);
    EXPECT_EQ(result.words, words);
    EXPECT_EQ(result.payload, payload_digest(bytes));
    EXPECT_EQ(result.chunked, chunked_digest(words, size));
  }
}

TEST(ParseDigest, RefusesAnythingButThirtyTwoLowerCaseHexDigits) {
  EXPECT_TRUE(parse_digest("99aa06d3014798d86001c324468d497f"));
  EXPECT_FALSE(parse_digest("99AA06D3014798D86001C324468D497F"));
  EXPECT_FALSE(parse_digest("99aa06d3014798d86001c324468d497"));
  EXPECT_FALSE(parse_digest("99aa06d3014798d86001c324468d497g"));
}

TEST(ParseHex64, ReadsBackEveryNumberAndNoOtherCharacter) {
  auto rng = test::test_rng(11);
  for (int round = 0; round < 10000; ++round) {
    const std::uint64_t value = rng();
    EXPECT_EQ(parse_hex64(fmt::format("{:016x}", value)), value);
  }
  for (std::size_t at = 0; at < 16; ++at) {
    for (int c = 0; c < 256; ++c) {
      std::string text = "0123456789abcdef";
      text[at] = static_cast<char>(c);
      const bool is_digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
      EXPECT_EQ(parse_hex64(text).has_value(), is_digit) << at << " " << c;
    }
  }
}

TEST(RunningCheck, EqualsTheCheckWordOfAllThePieces) {
  RunningCheck running;
  running.update("fox");
  running.update("");
  running.update("hunt");
  EXPECT_EQ(running.value(), check_word("foxhunt"));
}

}  // namespace
}  // namespace foxhunt
