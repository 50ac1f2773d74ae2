// SPDX-License-Identifier: MIT
#include "trainer_hooks/reference/campaign_pair.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <map>
#include <string_view>
#include <vector>

#include "dump/format/file_name.h"

namespace foxhunt {
namespace {

class NoSink : public ResultSink {
 public:
  void buffer(const BufferResult&) override {}
};

std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::optional<DumpName> payload_name(std::string_view file) {
  if (!claims_to_be_dump(file)) return std::nullopt;
  return parse_dump_file_name(file);
}

// Names of a run's payloads and their steps.
std::map<std::string, std::uint64_t> payloads(const std::filesystem::path& run) {
  std::map<std::string, std::uint64_t> steps;
  for (const auto& entry : std::filesystem::directory_iterator(run)) {
    const std::string name = entry.path().filename().string();
    if (const auto parsed = payload_name(name)) steps[name] = parsed->step;
  }
  return steps;
}

}  // namespace

JudgedPair judge(const std::filesystem::path& a, const std::filesystem::path& b) {
  CompareOptions options;
  options.jobs = 1;
  NoSink sink;
  const Comparison comparison = compare_runs(a, b, options, sink);
  JudgedPair judged;
  judged.verdict = comparison.verdict;
  if (!comparison.ranks.empty()) judged.first = comparison.ranks[0].first_divergence;
  if (!comparison.problems.empty()) judged.problem = comparison.problems[0].message;
  return judged;
}

std::string JudgedPair::text() const {
  std::string text;
  if (!first) {
    text = verdict_name(verdict);
  } else {
    text = fmt::format("step {}:", first->step);
    for (const Origin& origin : first->origins) {
      text += fmt::format(" {} {} at {}.{};", origin.kernel, claim_name(origin.claim),
                          origin.occurrence, origin.buffer);
    }
  }
  return problem.empty() ? text : fmt::format("{} ({})", text, problem);
}

std::optional<std::uint64_t> first_differing_step(const std::filesystem::path& a,
                                                  const std::filesystem::path& b) {
  auto in_a = payloads(a), all = in_a;
  const auto in_b = payloads(b);
  all.insert(in_b.begin(), in_b.end());
  std::optional<std::uint64_t> first;
  for (const auto& [name, step] : all) {
    if (first && step >= *first) continue;
    const bool same =
        in_a.contains(name) && in_b.contains(name) && contents(a / name) == contents(b / name);
    if (!same) first = step;
  }
  return first;
}

void make_bare(const std::filesystem::path& run) {
  std::vector<std::filesystem::path> rest;
  for (const auto& entry : std::filesystem::directory_iterator(run)) {
    const auto parsed = payload_name(entry.path().filename().string());
    if (!parsed || parsed->group < 'g' || parsed->group > 'k') rest.push_back(entry.path());
  }
  for (const std::filesystem::path& path : rest) std::filesystem::remove_all(path);
}

}  // namespace foxhunt
