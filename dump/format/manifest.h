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

// A manifest beyond this is refused, as is one with over 262,144 values or nested over 16 deep.
inline constexpr std::size_t kMaxManifestBytes = std::size_t{4} << 20;

// Bytes that are no UTF-8 (an argv, say) are replaced by U+FFFD.
std::string manifest_to_json(const Manifest& manifest);

// Throws Error: version (a later format), format (anything else), naming the key. `where` names the
// file. Unknown keys are ignored.
Manifest manifest_from_json(std::string_view json, std::string_view where);

// A manifest whose profile was not parsed yet: `manifest.profile` is empty and `profile_text` the
// piece of the manifest's text that profile_from_json() takes. Runs of one trainer hold the same
// profile: who reads several compares the texts and parses one.
struct ManifestHead {
  Manifest manifest;
  std::string_view profile_text;  // points into the `json` given
};
ManifestHead manifest_head_from_json(std::string_view json, std::string_view where);

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
// Throws like manifest_from_json.
EndMarker end_marker_from_json(std::string_view json, std::string_view where);

}  // namespace foxhunt
