// SPDX-License-Identifier: MIT
#include "compare/numerics/rows.h"

// Inline, because a row may be a few bytes: the call alone would cost as much as its hash.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>
#include <vector>

#include "dump/format/error.h"

namespace foxhunt {
namespace {

struct Sum {
  std::uint64_t high = 0, low = 0;
};

// A length known to the compiler leaves a handful of instructions of the hash.
template <std::size_t kRowBytes>
Sum sum_short_rows(const std::byte* rows, std::uint64_t count) {
  Sum sum;
  for (std::uint64_t i = 0; i < count; ++i) {
    const XXH128_hash_t hash = XXH3_128bits(rows + i * kRowBytes, kRowBytes);
    sum.high += hash.high64;
    sum.low += hash.low64;
  }
  return sum;
}

// Rows of few possible values: counts each value, then hashes it once.
template <class Value>
Sum sum_tiny_rows(const std::byte* rows, std::uint64_t count) {
  constexpr std::size_t kValues = std::size_t{1} << (8 * sizeof(Value));
  if (count < 4 * kValues) return sum_short_rows<sizeof(Value)>(rows, count);
  std::vector<std::uint64_t> times(kValues);
  for (std::uint64_t i = 0; i < count; ++i) {
    Value value;
    std::memcpy(&value, rows + i * sizeof value, sizeof value);
    ++times[value];
  }
  Sum sum;
  for (std::size_t i = 0; i < kValues; ++i) {
    const auto value = static_cast<Value>(i);
    const XXH128_hash_t hash = XXH3_128bits(&value, sizeof value);
    sum.high += times[i] * hash.high64;
    sum.low += times[i] * hash.low64;
  }
  return sum;
}

Sum sum_rows(const std::byte* rows, std::uint64_t count, std::size_t row_bytes) {
  // Longer rows are left to the library, which picks the processor's widest instructions.
  constexpr std::size_t kLongestInline = 240;
  Sum sum;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::byte* const row = rows + i * row_bytes;
    if (row_bytes <= kLongestInline) {
      const XXH128_hash_t hash = XXH3_128bits(row, row_bytes);
      sum.high += hash.high64;
      sum.low += hash.low64;
    } else {
      const Digest128 digest = payload_digest({row, row_bytes});
      sum.high += digest.high;
      sum.low += digest.low;
    }
  }
  return sum;
}

}  // namespace

void RowMultiset::add(std::span<const std::byte> rows, std::uint64_t row_bytes) {
  FOXHUNT_ASSERT(row_bytes > 0 && rows.size() % row_bytes == 0);
  const std::uint64_t count = rows.size() / row_bytes;
  Sum sum;
  switch (row_bytes) {
    case 1:
      sum = sum_tiny_rows<std::uint8_t>(rows.data(), count);
      break;
    case 2:
      sum = sum_tiny_rows<std::uint16_t>(rows.data(), count);
      break;
    case 4:
      sum = sum_short_rows<4>(rows.data(), count);
      break;
    case 8:
      sum = sum_short_rows<8>(rows.data(), count);
      break;
    case 16:
      sum = sum_short_rows<16>(rows.data(), count);
      break;
    default:
      sum = sum_rows(rows.data(), count, row_bytes);
  }
  rows_ += count;
  sum_.high += sum.high;
  sum_.low += sum.low;
}

void RowMultiset::add(const RowMultiset& other) {
  rows_ += other.rows_;
  sum_.high += other.sum_.high;
  sum_.low += other.sum_.low;
}

bool is_row_permutation(const std::byte* a, const std::byte* b, std::uint64_t rows,
                        std::uint64_t row_bytes) {
  RowMultiset left, right;
  left.add({a, rows * row_bytes}, row_bytes);
  right.add({b, rows * row_bytes}, row_bytes);
  return left == right;
}

}  // namespace foxhunt
