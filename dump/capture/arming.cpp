// SPDX-License-Identifier: MIT
#include "dump/capture/arming.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <limits>

#include "dump/capture/clock.h"
#include "dump/format/error.h"
#include "dump/format/numbers.h"

namespace foxhunt {
namespace {

constexpr char kGate[] = "FOXHUNT_DETERMINISM_DEBUG_BACKWARD";
constexpr char kDirectory[] = "FOXHUNT_DETERMINISM_DIR";
constexpr char kSteps[] = "FOXHUNT_DETERMINISM_STEPS";
constexpr char kGroups[] = "FOXHUNT_DETERMINISM_GROUPS";
constexpr char kInclude[] = "FOXHUNT_DETERMINISM_INCLUDE";
constexpr char kExclude[] = "FOXHUNT_DETERMINISM_EXCLUDE";
constexpr char kMode[] = "FOXHUNT_DETERMINISM_MODE";
constexpr char kMaxBytes[] = "FOXHUNT_DETERMINISM_MAX_BYTES";

std::string_view value_of(const GetEnv& environment, const char* name) {
  const char* const value = environment(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

// A job id as one path component.
std::string as_file_name(std::string_view id) {
  std::string name;
  for (const char c : id.substr(0, 100)) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' || c == '_';
    name += plain ? c : '_';
  }
  if (!name.empty() && name[0] == '.') name[0] = '_';
  return name;
}

// What names this job, the same in all its ranks and in no other job; empty where nothing does.
std::string job_name(const GetEnv& environment) {
  const std::string_view elastic = value_of(environment, "TORCHELASTIC_RUN_ID");
  // torchrun says "none" where nobody gave it an id.
  if (!elastic.empty() && elastic != "none") {
    std::string name = as_file_name(elastic);
    const std::string_view restarts = value_of(environment, "TORCHELASTIC_RESTART_COUNT");
    if (!restarts.empty() && restarts != "0") name += "-restart" + as_file_name(restarts);
    return name;
  }
  for (const char* const variable : {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"}) {
    const std::string_view id = value_of(environment, variable);
    if (!id.empty()) return as_file_name(id);
  }
  if (const std::string_view id = value_of(environment, "SLURM_JOB_ID"); !id.empty()) {
    std::string name = "slurm-" + as_file_name(id);
    const std::string_view step = value_of(environment, "SLURM_STEP_ID");
    if (!step.empty()) name += "." + as_file_name(step);
    return name;
  }
  for (const char* const variable : {"PBS_JOBID", "LSB_JOBID"}) {
    const std::string_view id = value_of(environment, variable);
    if (!id.empty()) return as_file_name(id);
  }
  return "";
}

std::filesystem::path run_directory(const GetEnv& environment, const Rank& rank) {
  std::filesystem::path directory = value_of(environment, kDirectory);
  if (directory.empty()) {
    directory = "foxhunt_runs";
    if (rank.world_size == 1) {
      directory /= fmt::format("{}-{}", utc_file_name(), getpid());
    } else {
      const std::string job = job_name(environment);
      if (job.empty()) {
        throw Error(Errc::bad_argument,
                    "this is rank {} of {}, but neither {} is set nor a job id of the launcher "
                    "(TORCHELASTIC_RUN_ID, PMIX_NAMESPACE, OMPI_MCA_ess_base_jobid, SLURM_JOB_ID, "
                    "PBS_JOBID, LSB_JOBID) from which all ranks could choose the same directory; "
                    "set {} to the same new directory for every rank",
                    rank.rank, rank.world_size, kDirectory, kDirectory);
      }
      directory /= job;
    }
  }
  if (rank.world_size > 1) directory /= fmt::format("rank_{}", rank.rank);
  return std::filesystem::absolute(directory);
}

}  // namespace

bool is_armed_by(const GetEnv& environment) {
  const std::string_view gate = value_of(environment, kGate);
  if (gate.empty() || gate == "0") return false;
  if (gate == "1") return true;
  throw Error(Errc::bad_argument, "{}=\"{}\" is neither 1 (dump) nor 0, empty or unset (do not)",
              kGate, gate);
}

Rank rank_of(const GetEnv& environment) {
  static constexpr const char* kPairs[][2] = {{"RANK", "WORLD_SIZE"},
                                              {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                              {"SLURM_PROCID", "SLURM_NTASKS"},
                                              {"PMI_RANK", "PMI_SIZE"}};
  for (const auto& [rank_name, size_name] : kPairs) {
    const std::string_view rank_text = value_of(environment, rank_name);
    const std::string_view size_text = value_of(environment, size_name);
    if (rank_text.empty() || size_text.empty()) continue;
    const auto rank = parse_decimal(rank_text), size = parse_decimal(size_text);
    if (!rank || !size || *rank >= *size || *size > std::numeric_limits<std::uint32_t>::max()) {
      throw Error(Errc::bad_argument,
                  "{}=\"{}\" and {}=\"{}\" name no rank: expected a rank from 0 and a larger world "
                  "size",
                  rank_name, rank_text, size_name, size_text);
    }
    return {static_cast<std::uint32_t>(*rank), static_cast<std::uint32_t>(*size)};
  }
  return {};
}

std::optional<std::uint64_t> parse_byte_size(std::string_view text) noexcept {
  std::uint64_t unit = 1;
  if (!text.empty()) {
    switch (text.back()) {
      case 'T':
        unit *= 1000;
        [[fallthrough]];
      case 'G':
        unit *= 1000;
        [[fallthrough]];
      case 'M':
        unit *= 1000;
        [[fallthrough]];
      case 'k':
        unit *= 1000;
        text.remove_suffix(1);
        break;
      default:
        break;
    }
  }
  const auto number = parse_decimal(text);
  std::uint64_t bytes = 0;
  if (!number || __builtin_mul_overflow(*number, unit, &bytes)) return std::nullopt;
  return bytes;
}

Arming read_arming(const GetEnv& environment) {
  Arming arming;
  arming.rank = rank_of(environment);

  const auto text_or = [&](const char* name, std::string_view fallback) {
    const std::string_view value = value_of(environment, name);
    return value.empty() ? fallback : value;
  };
  const auto in_variable = [](const char* name, const auto& parse) {
    try {
      return parse();
    } catch (const Error& e) {
      throw Error(e.code(), "{}: {}", name, e.what());
    }
  };
  arming.steps = in_variable(kSteps, [&] { return StepSet::parse(text_or(kSteps, "0-3")); });

  arming.groups = value_of(environment, kGroups);
  if (const auto text = value_of(environment, kInclude); !text.empty()) {
    arming.include.emplace_back(text);
  }
  if (const auto text = value_of(environment, kExclude); !text.empty()) {
    arming.exclude.emplace_back(text);
  }
  in_variable(kGroups, [&] { return NameFilter(arming.groups, {}, {}); });
  in_variable(kInclude, [&] { return NameFilter("", arming.include, {}); });
  in_variable(kExclude, [&] { return NameFilter("", {}, arming.exclude); });
  arming.filter = NameFilter(arming.groups, arming.include, arming.exclude);

  const std::string_view mode = text_or(kMode, "full");
  if (mode != "full" && mode != "digest") {
    throw Error(Errc::bad_argument, "{}=\"{}\" is neither full nor digest", kMode, mode);
  }
  arming.mode = mode == "full" ? DumpMode::full : DumpMode::digest;

  const std::string_view max_bytes = text_or(kMaxBytes, "20G");
  const auto parsed = parse_byte_size(max_bytes);
  if (!parsed || *parsed == 0) {
    throw Error(Errc::bad_argument,
                "{}=\"{}\" is no size: write bytes, or a number with k, M, G or T (powers of "
                "1000), such as 20G",
                kMaxBytes, max_bytes);
  }
  arming.max_bytes = *parsed;
  arming.directory = run_directory(environment, arming.rank);
  return arming;
}

}  // namespace foxhunt
