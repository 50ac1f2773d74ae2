// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compare/runs/result.h"
#include "compare/runs/run_file.h"
#include "dump/format/digest.h"
#include "dump/format/dtype.h"
#include "dump/format/manifest.h"
#include "dump/format/profile.h"
#include "dump/format/step_log.h"

namespace foxhunt {

enum class RunState : std::uint8_t {
  bare,  // dump files, no manifest
  open,  // manifest, no end marker: being written, or its writer died
  cut,   // the marker says that a limit was reached
  complete,
};
const char* run_state_name(RunState state) noexcept;

// One buffer of one step, as a run holds it. The text that `name` and `shape` point to holds until
// the next step is read.
struct Entry {
  std::uint64_t step = 0;
  std::uint32_t occurrence = 0;
  char group = 'a';
  std::string_view name;
  std::optional<DType> dtype;  // nothing: a bare run's buffer that its profile does not know
  std::string_view shape;      // as in the log; empty: unknown
  Form form = Form::full;
  bool logged = false;  // the fields below hold
  std::uint64_t sequence = 0;
  std::uint64_t bytes = 0;
  Digest128 payload, chunked;
  std::uint64_t words_at = 0;

  // File name of the payload, whether or not there is one.
  std::string payload_name() const;
};

// One rank's run directory, open for reading: step by step, only ever upwards, in memory bounded by
// the largest step (a bare run keeps 24 bytes a file besides).
class Run {
 public:
  // Throws Error (io, missing, version, format, limit) when nothing can be said of the run at all:
  // no such directory, a damaged or unknown manifest, no dump in it. Smaller trouble goes to
  // problems().
  static std::unique_ptr<Run> open(std::unique_ptr<Directory> directory);
  virtual ~Run() = default;
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  const Directory& directory() const noexcept { return *directory_; }
  RunState state() const noexcept { return state_; }
  // Nothing for a bare run. Its profile is empty: see profile().
  const std::optional<Manifest>& manifest() const noexcept { return manifest_; }
  // The profile's text in the manifest, and parsed (once, on the first call). A bare run has none:
  // empty text, nullptr. Throws Error format or version.
  std::string_view profile_text() const noexcept { return profile_text_; }
  const Profile* profile();
  const std::optional<EndMarker>& end_marker() const noexcept { return end_marker_; }

  // For a bare run: the profile that knows its buffers' dtypes and order, instead of the built-in
  // one. It must outlive the run; call it before the first next_step(). Otherwise ignored.
  virtual void use_profile(const Profile& profile) { static_cast<void>(profile); }

  // The next step with its entries in execution order. Nothing at the end; problems() is then
  // complete. Throws Error io.
  struct Step {
    std::uint64_t step = 0;
    std::span<const Entry> entries;
  };
  virtual std::optional<Step> next_step() = 0;

  // What was found wrong so far: malformed names, a damaged log, stale files, an open or cut run,
  // ….
  const std::vector<Problem>& problems() const noexcept { return problems_; }

 protected:
  explicit Run(std::unique_ptr<Directory> directory) : directory_(std::move(directory)) {}
  // Keeps the first thousand; the last one then says that there are more.
  void add_problem(std::string code, std::string_view file, std::string message);

  std::unique_ptr<Directory> directory_;
  RunState state_ = RunState::bare;
  std::optional<Manifest> manifest_;
  std::string profile_text_;
  std::optional<Profile> profile_;
  std::optional<EndMarker> end_marker_;
  std::vector<Problem> problems_;
};

}  // namespace foxhunt
