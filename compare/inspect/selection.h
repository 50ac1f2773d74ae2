// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "compare/runs/result.h"
#include "compare/runs/run.h"
#include "dump/format/name_filter.h"
#include "dump/format/step_set.h"

namespace foxhunt {

// Which part of a run to look at. Everything, unless said otherwise.
struct Selection {
  std::optional<std::uint32_t> rank;
  StepSet steps = StepSet::all();
  NameFilter filter;
  const Profile* profile = nullptr;  // for a bare run, instead of the built-in one; must outlive it

  bool accepts(const Entry& entry) const {
    return steps.contains(entry.step) && filter.accepts(entry.group, entry.name);
  }
};

// The selected ranks of a run, opened.
struct OpenedRuns {
  struct Rank {
    std::uint32_t rank = 0;
    std::unique_ptr<Run> run;
  };
  std::vector<Rank> ranks;
  bool by_rank = false;           // the run holds rank directories
  std::vector<Problem> problems;  // ranks that could not be opened, …
};

// Throws Error: missing, io, version, format; bad_argument for a rank that is not there.
OpenedRuns open_runs(const std::filesystem::path& path, const Selection& selection);

}  // namespace foxhunt
