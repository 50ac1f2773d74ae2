// SPDX-License-Identifier: MIT
#include "compare/inspect/selection.h"

#include "compare/runs/ranks.h"
#include "dump/format/error.h"

namespace foxhunt {

OpenedRuns open_runs(const std::filesystem::path& path, const Selection& selection) {
  Ranks found = open_ranks(path);
  OpenedRuns opened;
  opened.by_rank = found.by_rank;
  opened.problems = std::move(found.problems);
  for (Ranks::Rank& rank : found.ranks) {
    if (selection.rank && *selection.rank != rank.rank) continue;
    const std::filesystem::path where = rank.directory->path();
    try {
      opened.ranks.push_back({rank.rank, Run::open(std::move(rank.directory))});
    } catch (const Error& error) {
      if (!found.by_rank || selection.rank) throw;
      opened.problems.push_back({"unreadable_rank", where.string(), error.what()});
      continue;
    }
    if (selection.profile != nullptr) opened.ranks.back().run->use_profile(*selection.profile);
  }
  if (opened.ranks.empty() && selection.rank) {
    throw Error(Errc::bad_argument, "{}: has no rank {}; it holds {}", path.string(),
                *selection.rank,
                found.by_rank ? fmt::format("{} rank directories", found.ranks.size())
                              : std::string("one process, which is rank 0"));
  }
  return opened;
}

}  // namespace foxhunt
