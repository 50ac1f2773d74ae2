// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dump/format/profile.h"

namespace foxhunt {

// Of the run directory as a whole. On disk: a reader refuses a number that it does not know.
inline constexpr std::uint32_t kFormatVersion = 1;

// The names of our own files in a run directory, beside the dumps. On disk: never to change.
inline constexpr char kManifestFile[] = "foxhunt-manifest.json";
inline constexpr char kStepLogFile[] = "foxhunt-steps.log";
inline constexpr char kChunkWordsFile[] = "foxhunt-chunks.bin";
inline constexpr char kMarkerFile[] = "foxhunt-end.json";

enum class DumpMode : std::uint8_t {
  full,    // payloads and both digests
  digest,  // the chunked digest and its words only
};

// Written first, by a rename, before any dump. Everything that a reader needs to know of a run
// before its first step.
struct Manifest {
  std::uint32_t version = kFormatVersion;
  std::string run_id;      // 32 hex digits from the OS's randomness: two runs never share it
  std::string started_at;  // UTC, "2026-12-01T03:23:45Z"
  DumpMode mode = DumpMode::full;
  std::string steps, groups;  // what was asked for, as in the variables
  std::vector<std::string> include, exclude;
  std::uint64_t max_bytes = 0;
  std::uint32_t rank = 0, world_size = 1;
  // Everything that may explain a difference: "argv", "git_commit", "gpu", "driver", "cuda",
  // "cublas", "cublas_math_mode", "backend", "schedule_seed", "env.CUBLAS_WORKSPACE_CONFIG", …
  std::map<std::string, std::string> provenance;
  Profile profile;
};

std::string manifest_to_json(const Manifest& manifest);

// Throws Error: version (a later format), format (anything else). `where` names the file. When
// `profile_text` is given it receives the profile's JSON as it stands in the manifest, so that a
// reader of two runs parses an identical profile only once: with `skip_profile` the profile is left
// empty.
Manifest manifest_from_json(std::string_view json, std::string_view where);

// How a run ended; the file is placed by a rename, last.
enum class EndState : std::uint8_t {
  complete,
  cut,  // a limit was reached; `reason` says which
};

struct EndMarker {
  std::uint32_t version = kFormatVersion;
  std::string run_id;
  EndState state = EndState::complete;
  std::string reason;
  std::uint64_t committed_steps = 0;
  std::uint64_t records = 0;
  std::uint64_t running_check = 0;  // of the step log, all of it
  std::string finished_at;
};

std::string end_marker_to_json(const EndMarker& marker);
EndMarker end_marker_from_json(std::string_view json, std::string_view where);

}  // namespace foxhunt
