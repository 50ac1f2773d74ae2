// SPDX-License-Identifier: MIT
#include "compare/runs/second_look.h"

#include <algorithm>
#include <cstring>

#include "compare/numerics/rows.h"
#include "compare/numerics/tolerance.h"

namespace foxhunt {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
constexpr std::size_t kChunksNamed = 8;

// Calls `each(piece_of_a, piece_of_b)` over bytes [0, bytes) of both files, in pieces that are a
// multiple of `unit` long (or one unit, where that is larger than a piece).
template <class Each>
void read_side_by_side(const RunFile& a, const RunFile& b, std::uint64_t bytes, std::uint64_t unit,
                       Each&& each) {
  const std::uint64_t step = std::max<std::uint64_t>(kPieceBytes / unit, 1) * unit;
  std::vector<std::byte> piece_a(std::min(step, bytes)), piece_b(piece_a.size());
  for (std::uint64_t at = 0; at < bytes; at += step) {
    const std::size_t take = static_cast<std::size_t>(std::min(step, bytes - at));
    a.read(at, std::span(piece_a).first(take));
    b.read(at, std::span(piece_b).first(take));
    each(std::span<const std::byte>(piece_a).first(take),
         std::span<const std::byte>(piece_b).first(take));
  }
}

bool same_bytes(const RunFile& a, const RunFile& b, std::uint64_t offset, std::uint64_t bytes) {
  std::vector<std::byte> piece_a(std::min<std::uint64_t>(kPieceBytes, bytes)),
      piece_b(piece_a.size());
  while (bytes > 0) {
    const std::size_t take = static_cast<std::size_t>(std::min<std::uint64_t>(kPieceBytes, bytes));
    a.read(offset, std::span(piece_a).first(take));
    b.read(offset, std::span(piece_b).first(take));
    if (std::memcmp(piece_a.data(), piece_b.data(), take) != 0) return false;
    offset += take;
    bytes -= take;
  }
  return true;
}

Digest128 hash_range(const RunFile& file, std::uint64_t begin, std::uint64_t bytes) {
  BufferHasher hasher(false);
  std::vector<std::byte> piece(std::min<std::uint64_t>(kPieceBytes, bytes));
  for (std::uint64_t at = 0; at < bytes; at += piece.size()) {
    const auto part = std::span(piece).first(std::min<std::uint64_t>(piece.size(), bytes - at));
    file.read(begin + at, part);
    hasher.update(part);
  }
  return hasher.finish().chunked;
}

// Rows too long to hold: at most one in a megabyte, so that their digests can be kept and sorted.
bool are_permuted_long_rows(const RunFile& a, const RunFile& b, std::uint64_t rows,
                            std::uint64_t row_bytes) {
  const auto sorted_rows = [rows, row_bytes](const RunFile& file) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> digests;
    for (std::uint64_t row = 0; row < rows; ++row) {
      const Digest128 digest = hash_range(file, row * row_bytes, row_bytes);
      digests.emplace_back(digest.high, digest.low);
    }
    std::sort(digests.begin(), digests.end());
    return digests;
  };
  return sorted_rows(a) == sorted_rows(b);
}

}  // namespace

BufferHasher::Result hash_payload(const RunFile& file, bool with_payload_digest) {
  BufferHasher hasher(with_payload_digest);
  std::vector<std::byte> piece(std::min<std::uint64_t>(kPieceBytes, file.size()));
  for (std::uint64_t at = 0; at < file.size(); at += piece.size()) {
    const auto part =
        std::span(piece).first(std::min<std::uint64_t>(piece.size(), file.size() - at));
    file.read(at, part);
    hasher.update(part);
  }
  return hasher.finish();
}

void name_chunks(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
                 BufferResult& result) {
  std::uint64_t count = 0;
  result.first_chunks.clear();
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i] == b[i]) continue;
    if (count++ < kChunksNamed) result.first_chunks.push_back(i);
  }
  result.differing_chunks = count;
}

bool are_permuted_rows(const RunFile& a, const RunFile& b, const Shape& shape) {
  if (shape.empty() || shape[0] < 2 || a.size() == 0 || a.size() != b.size() ||
      a.size() % shape[0] != 0) {
    return false;
  }
  const std::uint64_t row_bytes = a.size() / shape[0];
  if (row_bytes > kPieceBytes) return are_permuted_long_rows(a, b, shape[0], row_bytes);
  RowMultiset rows_a, rows_b;
  read_side_by_side(a, b, a.size(), row_bytes,
                    [&](std::span<const std::byte> x, std::span<const std::byte> y) {
                      rows_a.add(x, row_bytes);
                      rows_b.add(y, row_bytes);
                    });
  return rows_a == rows_b;
}

bool differ_only_beyond(const std::vector<Extent>& valid, const Shape& shape,
                        std::uint32_t element_bytes, const RunFile& a, const RunFile& b) {
  if (valid.size() != shape.size()) return false;
  // Valid elements come in runs along the innermost axes that are valid throughout.
  Shape extents(shape.size());
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (!valid[axis].symbol.empty()) return false;
    extents[axis] = std::min(valid[axis].size, shape[axis]);
    if (extents[axis] == 0) return true;
  }
  std::size_t inner = shape.size();
  std::uint64_t run = element_bytes;
  while (inner > 0) {
    --inner;
    const bool whole_axis = extents[inner] == shape[inner];
    run *= extents[inner];
    if (!whole_axis) break;
  }
  std::vector<std::uint64_t> at(inner, 0);
  while (true) {
    std::uint64_t offset = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      offset = offset * shape[axis] + (axis < inner ? at[axis] : 0);
    }
    if (!same_bytes(a, b, offset * element_bytes, run)) return false;
    std::size_t axis = inner;
    while (axis > 0 && ++at[axis - 1] == extents[axis - 1]) at[--axis] = 0;
    if (axis == 0) return true;
  }
}

ToleranceResult tolerance_of_files(DType dtype, const RunFile& a, const RunFile& b,
                                   std::uint64_t bytes, double rtol, double atol) {
  ToleranceResult all{.rtol = rtol, .atol = atol};
  read_side_by_side(a, b, bytes, dtype_size(dtype),
                    [&](std::span<const std::byte> x, std::span<const std::byte> y) {
                      merge(all, measure_tolerance(dtype, x.data(), y.data(),
                                                   x.size() / dtype_size(dtype), rtol, atol));
                    });
  return all;
}

}  // namespace foxhunt
