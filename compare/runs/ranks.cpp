// SPDX-License-Identifier: MIT
#include "compare/runs/ranks.h"

#include <algorithm>

#include "dump/format/error.h"
#include "dump/format/file_name.h"
#include "dump/format/manifest.h"
#include "dump/format/numbers.h"

namespace foxhunt {
namespace {

constexpr std::string_view kRankPrefix = "rank_";
constexpr std::uint32_t kMaxRanks = 65536;

}  // namespace

Ranks open_ranks(const std::filesystem::path& run) {
  Ranks result;
  auto top = std::make_unique<Directory>(run);
  std::vector<std::uint32_t> numbers;
  bool has_dumps = false;
  top->for_each_name([&](std::string_view name) {
    has_dumps |= claims_to_be_dump(name) || name == kManifestFile;
    if (!name.starts_with(kRankPrefix)) return;
    const auto number = parse_decimal(name.substr(kRankPrefix.size()));
    if (number && *number < kMaxRanks) numbers.push_back(static_cast<std::uint32_t>(*number));
  });
  std::sort(numbers.begin(), numbers.end());
  for (const std::uint32_t number : numbers) {
    const std::string name = fmt::format("{}{}", kRankPrefix, number);
    try {
      result.ranks.push_back({number, std::make_unique<Directory>(*top, name)});
    } catch (const Error& e) {
      result.problems.push_back({"unreadable_rank", (run / name).string(), e.what()});
    }
  }
  result.by_rank = !numbers.empty();
  if (!result.by_rank) {
    result.ranks.push_back({0, std::move(top)});
    return result;
  }
  if (has_dumps) {
    result.problems.push_back(
        {"mixed_layout", run.string(),
         fmt::format("{}: holds rank directories and dumps of its own; only the ranks were "
                     "compared. Move one of the two elsewhere",
                     run.string())});
  }
  result.top = std::move(top);
  return result;
}

}  // namespace foxhunt
