// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compare/runs/result.h"
#include "compare/runs/run_file.h"
#include "dump/format/digest.h"
#include "dump/format/profile.h"

namespace foxhunt {

// What is worth knowing of a buffer once it is known to differ. Each reads the payloads once more,
// front to back, with read(2); throws Error io.

// Both digests of a whole file (`payload` only when asked for).
BufferHasher::Result hash_payload(const RunFile& file, bool with_payload_digest);

// Notes which words differ between two buffers of the same length.
void name_chunks(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
                 BufferResult& result);

// Whether the rows (outermost extent) of `b` are those of `a` in another order. Both files hold a
// buffer of `shape`.
bool are_permuted_rows(const RunFile& a, const RunFile& b, const Shape& shape);

// Whether the files agree everywhere within the valid extents of `shape`. False where an extent is
// a symbol that nobody bound.
bool differ_only_beyond(const std::vector<Extent>& valid, const Shape& shape,
                        std::uint32_t element_bytes, const RunFile& a, const RunFile& b);

// How the first `bytes` bytes stand to |a - b| <= atol + rtol * |b|.
ToleranceResult tolerance_of_files(DType dtype, const RunFile& a, const RunFile& b,
                                  std::uint64_t bytes, double rtol, double atol);

}  // namespace foxhunt
