// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dump/format/digest.h"

namespace foxhunt {

// The rows of a buffer as a multiset: which rows, how often, in no order. Kept as the wrapping sum
// of the rows' XXH3-128 digests, so that a buffer can be added window by window and row multisets
// of parts can be added up. Two different multisets agree by an accident of 2^-128; like the other
// digests this finds accidents, not forgeries.
//
// All additions to one object must be of the same row length.
class RowMultiset {
 public:
  // Adds whole rows of `row_bytes` bytes (not 0). FOXHUNT_ASSERT if a row is cut.
  void add(std::span<const std::byte> rows, std::uint64_t row_bytes);
  void add(const RowMultiset& other);

  std::uint64_t rows() const noexcept { return rows_; }
  bool operator==(const RowMultiset&) const = default;

 private:
  std::uint64_t rows_ = 0;
  Digest128 sum_;  // each half by itself, modulo 2^64
};

// Whether both sides hold the same rows, each as often, in any order.
bool is_row_permutation(const std::byte* a, const std::byte* b, std::uint64_t rows,
                        std::uint64_t row_bytes);

}  // namespace foxhunt
