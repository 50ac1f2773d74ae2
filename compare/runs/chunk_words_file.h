// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compare/runs/run.h"

namespace foxhunt {

// A run's file of chunk words. Callable from any thread.
class ChunkWordsFile {
 public:
  // A run without one (bare, or damaged) has no words to give.
  explicit ChunkWordsFile(const Run& run) noexcept;

  // The words of a logged entry, checked against its chunked digest. Nothing if they are not there
  // or do not hold.
  std::optional<std::vector<std::uint64_t>> read(const Entry& entry) const noexcept;

 private:
  RunFile file_;
};

}  // namespace foxhunt
