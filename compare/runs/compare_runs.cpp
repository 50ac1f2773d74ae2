// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <exception>

#include "compare/runs/comparison.h"
#include "compare/runs/fault_guard.h"
#include "compare/runs/provenance.h"
#include "compare/runs/rank_compare.h"
#include "compare/runs/ranks.h"
#include "dump/format/error.h"
#include "dump/format/file_name.h"
#include "dump/format/profile_json.h"

namespace foxhunt {
namespace {

bool same_directory(const Directory& a, const Directory& b) {
  struct stat x, y;
  return ::fstat(a.fd(), &x) == 0 && ::fstat(b.fd(), &y) == 0 && x.st_dev == y.st_dev &&
         x.st_ino == y.st_ino;
}

std::uint64_t dump_bytes(const Directory& directory) {
  std::uint64_t bytes = 0;
  directory.for_each_name([&](std::string_view name) {
    struct stat status;
    if (claims_to_be_dump(name) &&
        ::fstatat(directory.fd(), std::string(name).c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
      bytes += static_cast<std::uint64_t>(status.st_size);
    }
  });
  return bytes;
}

const char* problem_code(Errc code) {
  switch (code) {
    case Errc::missing:
      return "no_run";
    case Errc::version:
      return "unknown_version";
    case Errc::format:
    case Errc::limit:
      return "damaged_run";
    default:
      return "unreadable_run";
  }
}

RunSide describe(const Run& run) {
  RunSide side;
  side.state = run_state_name(run.state());
  if (run.manifest()) {
    side.run_id = run.manifest()->run_id;
    side.started_at = run.manifest()->started_at;
  }
  return side;
}

// Compares whole runs: their ranks one after another.
class RunCompare {
 public:
  RunCompare(const CompareOptions& options, ResultSink& sink)
      : options_(options), pool_(options.jobs), context_{options, sink, pool_, result_} {}

  Comparison run(const std::filesystem::path& path_a, const std::filesystem::path& path_b) {
    const FaultGuard guard;
    result_.selection = options_.selection;
    auto a = open_run(path_a), b = open_run(path_b);
    if (a && b) compare_ranks(*a, *b, path_a, path_b);
    finish();
    return std::move(result_);
  }

 private:
  void add_error(const std::filesystem::path& path, const std::exception& e) {
    const auto* const error = dynamic_cast<const Error*>(&e);
    context_.add_problem({error != nullptr ? problem_code(error->code()) : "unreadable_run",
                          path.string(), e.what()});
  }

  std::optional<Ranks> open_run(const std::filesystem::path& path) {
    try {
      Ranks ranks = open_ranks(path);
      for (const Problem& problem : ranks.problems) context_.add_problem(problem);
      return ranks;
    } catch (const std::exception& e) {
      add_error(path, e);
      return std::nullopt;
    }
  }

  void compare_ranks(Ranks& a, Ranks& b, const std::filesystem::path& path_a,
                     const std::filesystem::path& path_b) {
    if (a.by_rank != b.by_rank) {
      const auto& split = a.by_rank ? path_a : path_b;
      context_.add_problem({"layout_differs", split.string(),
                            fmt::format("{} holds ranks, the other run is of one process: name one "
                                        "of its rank directories instead",
                                        split.string())});
      return;
    }
    if (options_wants_progress()) {
      for (const auto* ranks : {&a, &b}) {
        for (const auto& rank : ranks->ranks) context_.total_bytes += dump_bytes(*rank.directory);
      }
    }
    auto next_a = a.ranks.begin(), next_b = b.ranks.begin();
    while (next_a != a.ranks.end() || next_b != b.ranks.end()) {
      const bool only_a =
          next_b == b.ranks.end() || (next_a != a.ranks.end() && next_a->rank < next_b->rank);
      const bool only_b = !only_a && (next_a == a.ranks.end() || next_b->rank < next_a->rank);
      if (only_a || only_b) {
        const auto& there = only_a ? *next_a++ : *next_b++;
        context_.add_problem(
            {"missing_rank", (only_a ? path_b : path_a).string(),
             fmt::format("rank {} is in {} only", there.rank, there.directory->path().string())});
        continue;
      }
      compare_rank(next_a->rank, std::move(next_a->directory), std::move(next_b->directory),
                   a.by_rank ? a.ranks.size() : 0);
      ++next_a;
      ++next_b;
    }
  }

  bool options_wants_progress() const { return context_.sink.wants_progress(); }

  std::unique_ptr<Run> open_rank(std::unique_ptr<Directory> directory, std::size_t ranks) {
    const std::filesystem::path path = directory->path();
    try {
      auto run = Run::open(std::move(directory));
      const bool counts = ranks > 0 && run->manifest();
      if (counts && run->manifest()->world_size != ranks) {
        context_.add_problem(
            {"missing_rank", path.string(),
             fmt::format("{}: was one of {} ranks, but the run holds {} rank directories",
                         path.string(), run->manifest()->world_size, ranks)});
      }
      return run;
    } catch (const std::exception& e) {
      add_error(path, e);
      return nullptr;
    }
  }

  void compare_rank(std::uint32_t rank, std::unique_ptr<Directory> directory_a,
                    std::unique_ptr<Directory> directory_b, std::size_t ranks) {
    const std::filesystem::path path_a = directory_a->path();
    const bool is_same = same_directory(*directory_a, *directory_b);
    const auto a = open_rank(std::move(directory_a), ranks);
    const auto b = open_rank(std::move(directory_b), ranks);
    if (!a || !b) return;
    if (is_same ||
        (a->manifest() && b->manifest() && a->manifest()->run_id == b->manifest()->run_id)) {
      context_.add_problem(
          {"same_run", path_a.string(),
           fmt::format("{} and {} are one run{}: it would equal itself whatever happened. Name two "
                       "runs",
                       path_a.string(), b->directory().path().string(),
                       is_same ? " (the same directory)" : " (the same run id: one is a copy)")});
      return;
    }
    const std::size_t problems_before = result_.problems.size() + result_.problems_not_listed;
    RankComparison compared;
    compared.rank = rank;
    try {
      const Profile& profile = choose_profile(*a, *b);
      a->use_profile(profile);
      b->use_profile(profile);
      if (result_.profile_name.empty()) {
        result_.profile_name = profile.name;
        result_.groups = profile.groups;
      }
      for (auto& difference : provenance_differences(*a, *b)) {
        if (ranks > 0) difference.key = fmt::format("rank {}: {}", rank, difference.key);
        result_.provenance_differences.push_back(std::move(difference));
      }
      compared = RankCompare(context_, rank, *a, *b, profile).run();
    } catch (const std::exception& e) {
      add_error(path_a, e);
    }
    compared.a = describe(*a);
    compared.b = describe(*b);
    const std::uint64_t judged = compared.equal + compared.diverged;
    const bool has_problems =
        result_.problems.size() + result_.problems_not_listed > problems_before;
    compared.verdict = compared.diverged > 0         ? Verdict::diverged
                       : judged > 0 && !has_problems ? Verdict::identical
                                                     : Verdict::unverified;
    result_.ranks.push_back(std::move(compared));
  }

  const Profile& choose_profile(Run& a, Run& b) const {
    if (options_.profile != nullptr) return *options_.profile;
    if (const Profile* const profile = a.profile()) return *profile;
    if (const Profile* const profile = b.profile()) return *profile;
    return builtin_profile();
  }

  void finish() {
    std::uint64_t judged = 0, diverged = 0;
    for (const RankComparison& rank : result_.ranks) {
      judged += rank.equal + rank.diverged;
      diverged += rank.diverged;
    }
    if (judged == 0 && result_.problems.empty()) {
      context_.add_problem({"nothing_compared", "",
                            "nothing was compared: the runs hold no buffer, or the options (steps, "
                            "groups, include, exclude) leave none of them"});
    }
    result_.everything_compared = result_.problems.empty() && judged > 0 && !result_.stopped_early;
    result_.verdict = diverged > 0                  ? Verdict::diverged
                      : result_.everything_compared ? Verdict::identical
                                                    : Verdict::unverified;
    if (!options_.tolerances.empty() && diverged == 0 && judged > 0) {
      result_.within_tolerance = true;
    }
  }

  const CompareOptions& options_;
  WorkerPool pool_;
  Comparison result_;
  CompareContext context_;
};

}  // namespace

const char* verdict_name(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::identical:
      return "identical";
    case Verdict::diverged:
      return "diverged";
    case Verdict::unverified:
      return "unverified";
  }
  return "?";
}

std::optional<std::size_t> first_diverged_rank(const Comparison& comparison) {
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < comparison.ranks.size(); ++i) {
    const auto& divergence = comparison.ranks[i].first_divergence;
    if (!divergence) continue;
    if (!first || divergence->step < comparison.ranks[*first].first_divergence->step) first = i;
  }
  return first;
}

Comparison compare_runs(const std::filesystem::path& run_a, const std::filesystem::path& run_b,
                        const CompareOptions& options, ResultSink& sink) {
  return RunCompare(options, sink).run(run_a, run_b);
}

}  // namespace foxhunt
