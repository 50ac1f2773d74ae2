// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "compare/runs/result.h"
#include "compare/runs/run_file.h"

namespace foxhunt {

// The ranks of a run: with world size > 1 the run directory holds only `rank_<R>/`, each a run of
// its own; otherwise the directory itself stands for rank 0.
struct Ranks {
  std::unique_ptr<Directory> top;  // kept when there are rank directories
  struct Rank {
    std::uint32_t rank = 0;
    std::unique_ptr<Directory> directory;
  };
  std::vector<Rank> ranks;  // by number
  bool by_rank = false;     // there are rank directories
  std::vector<Problem> problems;
};

// Throws Error io or missing.
Ranks open_ranks(const std::filesystem::path& run);

}  // namespace foxhunt
