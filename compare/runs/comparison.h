// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compare/runs/result.h"
#include "compare/verdict/walk.h"
#include "dump/format/name_filter.h"
#include "dump/format/profile.h"
#include "dump/format/step_set.h"

namespace foxhunt {

struct ToleranceRule {
  NamePattern pattern;
  double rtol = 0, atol = 0;
};

struct CompareOptions {
  StepSet steps = StepSet::all();
  NameFilter filter;
  bool first_only = false;  // stop after the first step that diverged (in each rank)
  bool list_equal = false;  // hand equal buffers to the sink too
  unsigned jobs = 0;        // threads; 0: one a core
  // The first rule that matches a buffer's name holds; none given: no tolerance is computed.
  std::vector<ToleranceRule> tolerances;
  const Profile* profile = nullptr;  // instead of the manifests' or the built-in one
  // How the user wrote steps and filter ("--groups l"), for reports; empty if everything is
  // selected.
  std::string selection;
};

// Receives results while the comparison goes on, in order: rank, step, execution order. Called on
// the thread that called compare_runs.
class ResultSink {
 public:
  virtual ~ResultSink() = default;
  virtual void buffer(const BufferResult& result) = 0;
  // Whether progress() is worth calling: counting the total costs a look at every file.
  virtual bool wants_progress() const { return false; }
  // Bytes of both sides compared so far, of how many in all (0: not known).
  virtual void progress(std::uint64_t done, std::uint64_t total) {
    static_cast<void>(done), static_cast<void>(total);
  }
};

// "a" and "b" as text; empty where a run does not have the key.
struct ProvenanceDifference {
  std::string key, a, b;
};

enum class Verdict : std::uint8_t { identical, diverged, unverified };
const char* verdict_name(Verdict verdict) noexcept;

// One cell of the table step x group.
enum class Cell : std::uint8_t { not_dumped, equal, diverged, trouble };

// Consecutive steps whose groups all stand alike.
struct TableRow {
  std::uint64_t first_step = 0, last_step = 0;
  std::uint64_t steps = 0;  // dumped ones among them
  Cell cells[26] = {};
};

struct Healed {
  std::string buffer;
  std::uint64_t diverged_step = 0, equal_step = 0;  // last divergent, first equal after it
};

// What one run says of itself; empty where it does not say.
struct RunSide {
  std::string state;  // run_state_name()
  std::string run_id, started_at;
};

struct RankComparison {
  std::uint32_t rank = 0;
  RunSide a, b;
  Verdict verdict = Verdict::unverified;  // of this rank alone
  std::optional<FirstDivergence> first_divergence;
  std::vector<TableRow> table;
  std::vector<Healed> healed;
  std::vector<std::string> never_dumped;  // buffers the profile knows of and nobody dumped
  std::uint64_t steps = 0;                // compared
  std::uint64_t equal = 0, diverged = 0, other = 0;  // buffers
  bool benign_only = false;  // every divergent buffer was order-free rows in another order
};

struct Comparison {
  Verdict verdict = Verdict::unverified;
  std::vector<ProvenanceDifference> provenance_differences;
  std::vector<RankComparison> ranks;  // one for a run without rank directories
  std::vector<Problem> problems;
  std::uint64_t problems_not_listed = 0;  // past the first kMaxProblems
  std::string profile_name;
  std::string selection;  // CompareOptions::selection: what it leaves out counts as not dumped
  std::vector<ProfileGroup> groups;  // the profile's, in its order
  std::uint64_t bytes_compared = 0;  // both sides
  // Set when tolerances were asked for: every divergent buffer is within its tolerance.
  std::optional<bool> within_tolerance;
  bool stopped_early = false;  // --first
  // Whether everything that either run holds or declares was compared: nothing but the divergent
  // buffers keeps the verdict from "identical".
  bool everything_compared = false;
};

inline constexpr std::size_t kMaxProblems = 1000;

// Index into ranks of the rank that diverged first: the smallest first divergent step; ranks that
// tie are not ordered (order across ranks is not causality), the lowest number stands for them.
std::optional<std::size_t> first_diverged_rank(const Comparison& comparison);

// Compares two run directories. Never throws for what it finds in them: whatever is wrong there
// becomes a Problem, and the verdict says at most "unverified". Throws Error bad_argument only for
// options that make no sense. Reads nothing outside the two directories and writes nothing.
Comparison compare_runs(const std::filesystem::path& run_a, const std::filesystem::path& run_b,
                        const CompareOptions& options, ResultSink& sink);

}  // namespace foxhunt
