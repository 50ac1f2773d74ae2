// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "compare/inspect/selection.h"
#include "compare/runs/run_file.h"

namespace foxhunt {

// One buffer of one step, with its payload open for reading.
struct FoundBuffer {
  std::unique_ptr<Run> run;
  RunFile file;
  std::string path;
  std::uint64_t step = 0;
  std::uint32_t occurrence = 0;
  char group = 'a';
  std::string name;
  DType dtype = DType::u8;
  Shape shape;                       // one axis where none is known
  std::uint64_t elements = 0;        // product of the shape
  std::optional<Digest128> payload;  // as recorded
  std::string note;                  // what had to be assumed, a sentence; empty: nothing
};

struct BufferAddress {
  std::uint64_t step = 0;
  std::string name;
  std::uint32_t occurrence = 0;
  std::optional<DType> dtype;  // of a bare run's buffer, instead of the profile's
};

// Throws Error: missing (says what the run holds instead), bad_argument (a run of several ranks and
// none chosen; a digest-only record, which has no values), format (a size that is no whole number
// of elements, or not the record's), and what open_runs throws.
FoundBuffer find_buffer(const std::filesystem::path& path, const Selection& selection,
                        const BufferAddress& address);

}  // namespace foxhunt
