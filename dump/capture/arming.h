// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dump/format/manifest.h"
#include "dump/format/name_filter.h"
#include "dump/format/step_set.h"

namespace foxhunt {

// The value of an environment variable, nullptr where it is not set: std::getenv, or a test's.
using GetEnv = std::function<const char*(const char* name)>;

// Whether FOXHUNT_DETERMINISM_DEBUG_BACKWARD arms the dumper: `1` does; unset, empty and `0` do
// not. Throws Error bad_argument for anything else.
bool is_armed_by(const GetEnv& environment);

// Which process of a distributed run this is.
struct Rank {
  std::uint32_t rank = 0, world_size = 1;
};

// From the first pair of variables that is set as a whole: RANK/WORLD_SIZE,
// OMPI_COMM_WORLD_RANK/_SIZE, SLURM_PROCID/SLURM_NTASKS, PMI_RANK/PMI_SIZE. Throws Error
// bad_argument for a pair that makes no sense.
Rank rank_of(const GetEnv& environment);

// What the variables ask for. An empty value counts as unset.
//
//   FOXHUNT_DETERMINISM_DIR        default foxhunt_runs/<UTC time>-<pid>, with a world size over 1
//                                  foxhunt_runs/<the launcher's job id>
//   FOXHUNT_DETERMINISM_STEPS      default 0-3
//   FOXHUNT_DETERMINISM_GROUPS     letters, commas allowed; default every group
//   FOXHUNT_DETERMINISM_INCLUDE    a regular expression searched for in names
//   FOXHUNT_DETERMINISM_EXCLUDE    likewise
//   FOXHUNT_DETERMINISM_MODE       full (default) or digest
//   FOXHUNT_DETERMINISM_MAX_BYTES  bytes, or a number with k, M, G or T (powers of 1000); default
//                                  20G
struct Arming {
  std::filesystem::path directory;  // absolute; ends in rank_<R> where the world size is over 1
  StepSet steps;
  std::string groups;
  std::vector<std::string> include, exclude;
  NameFilter filter;  // of the three above
  DumpMode mode = DumpMode::full;
  std::uint64_t max_bytes = 0;
  Rank rank;
};

// Throws Error bad_argument naming the variable, what it holds and what it may hold.
Arming read_arming(const GetEnv& environment);

// "20G" is 20e9. Nothing for anything else than digits and one of k M G T, or over 64 bits.
std::optional<std::uint64_t> parse_byte_size(std::string_view text) noexcept;

}  // namespace foxhunt
