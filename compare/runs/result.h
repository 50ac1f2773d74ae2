// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/numerics/difference.h"
#include "compare/numerics/tolerance.h"
#include "dump/format/dtype.h"
#include "dump/format/shape.h"

namespace foxhunt {

// What was found about one buffer of one step in both runs.
enum class Status : std::uint8_t {
  equal,
  diverged,
  missing_in_a,  // only b has it: control flow differs, or a file is gone
  missing_in_b,
  incomparable,  // dtype, shape or capture contract changed between the runs
  unreadable,    // damaged, unreachable, changing while read, or not what its own log says
};
const char* status_name(Status status) noexcept;

// Something that keeps the comparison from saying "identical", or that the user should know.
// Codes are for programs and stay as they are; messages say what was found, where, and what to do.
struct Problem {
  std::string code;  // "missing_file", "partial_element", …: see compare/report/README.md
  std::string path;  // of the file or directory, as the user gave the run; may be empty
  std::string message;
};

struct BufferResult {
  std::uint32_t rank = 0;
  std::uint64_t step = 0;
  std::uint32_t occurrence = 0;
  char group = 'a';
  std::string name;
  Status status = Status::equal;

  std::optional<DType> dtype;  // nothing: a bare run's buffer that no profile knows; bytes then
  std::optional<Shape> shape;  // nothing: unknown, coordinates are flat
  std::uint64_t elements = 0;  // of the shorter side when lengths differ
  std::uint64_t elements_a = 0, elements_b = 0;

  // When diverged and both payloads are there.
  std::optional<Difference> difference;
  // When only digests are there: the chunks (of kChunkBytes) whose words differ, the first few, and
  // how many there are; nothing when the words are not there.
  bool by_digest = false;
  std::optional<std::uint64_t> differing_chunks;
  std::vector<std::uint64_t> first_chunks;

  bool permuted_rows = false;     // the same rows in another order
  bool order_free = false;        // …and the profile says that no reader minds
  bool tail_only = false;         // all differences beyond the valid extent: unknown whether read
  bool zero_on_one_side = false;  // suspected capture race
  std::optional<ToleranceResult> tolerance;
  std::string note;  // why incomparable, unreadable, …; one sentence
};

// Whether the difference can be explained away and blames nobody: rows of an order-free buffer came
// in another order. The bytes still differ.
inline bool is_benign(const BufferResult& result) noexcept {
  return result.status == Status::diverged && result.permuted_rows && result.order_free;
}

}  // namespace foxhunt
