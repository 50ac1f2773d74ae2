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
#include "dump/format/digest.h"
#include "dump/format/dtype.h"
#include "dump/format/manifest.h"
#include "dump/format/profile.h"
#include "dump/format/step_log.h"

namespace foxhunt {

// An open directory. Files are opened beneath it by plain name only: no symbolic link is followed,
// nothing but a regular file is accepted, and opening never blocks.
class Directory {
 public:
  // Throws Error io.
  explicit Directory(std::filesystem::path path);
  ~Directory();
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }
  int fd() const noexcept { return fd_; }

 private:
  std::filesystem::path path_;
  int fd_;
};

// A regular file open for reading, with its size when opened.
class RunFile {
 public:
  RunFile() = default;
  // Throws Error io: missing, no regular file, a symbolic link, no permission.
  RunFile(const Directory& directory, const std::string& name);
  ~RunFile();
  RunFile(RunFile&& other) noexcept;
  RunFile& operator=(RunFile&& other) noexcept;

  bool is_open() const noexcept { return fd_ >= 0; }
  int fd() const noexcept { return fd_; }
  std::uint64_t size() const noexcept { return size_; }
  std::uint64_t device() const noexcept { return device_; }
  std::uint64_t inode() const noexcept { return inode_; }
  // Whether size and modification time are still what they were. A file that changes while it is
  // read cannot be judged.
  bool unchanged() const noexcept;

  // Reads exactly out.size() bytes at `offset`; throws Error io at the end of the file or an I/O
  // error.
  void read(std::uint64_t offset, std::span<std::byte> out) const;

 private:
  int fd_ = -1;
  std::uint64_t size_ = 0, device_ = 0, inode_ = 0;
  std::int64_t modified_s_ = 0, modified_ns_ = 0;
};

// Reads a whole small file; throws Error limit if it is over `max_bytes`.
std::string read_small_file(const Directory& directory, const std::string& name,
                            std::uint64_t max_bytes);

enum class RunState : std::uint8_t {
  bare,  // dump files, no manifest
  open,  // manifest, no end marker: being written, or its writer died
  cut,   // the marker says that a limit was reached
  complete,
};
const char* run_state_name(RunState state) noexcept;

// One buffer of one step, as a run holds it. `name` and `shape` hold until the next step is read.
struct Entry {
  std::uint64_t sequence = 0;
  std::uint64_t step = 0;
  std::uint32_t occurrence = 0;
  char group = 'a';
  std::string_view name;
  // From the log; for a bare run from the profile, nothing where it does not know the buffer.
  std::optional<DType> dtype;
  std::string_view shape;  // as in the log; empty: unknown
  Form form = Form::full;
  bool logged = false;  // the fields below hold
  std::uint64_t bytes = 0;
  Digest128 payload, chunked;
  std::uint64_t words_at = 0;
};

// One rank's run directory, open for reading. Reading goes step by step, in bounded memory, and
// only ever upwards.
class Run {
 public:
  // Throws Error: io, version, format when nothing can be said of the run at all (no such
  // directory, a damaged or unknown manifest, no dump in it). Smaller trouble is left in
  // problems().
  static std::unique_ptr<Run> open(const std::filesystem::path& path);
  virtual ~Run() = default;

  const Directory& directory() const noexcept { return directory_; }
  RunState state() const noexcept { return state_; }
  // Nothing for a bare run.
  const std::optional<Manifest>& manifest() const noexcept { return manifest_; }
  const std::optional<EndMarker>& end_marker() const noexcept { return end_marker_; }
  std::string describe() const;  // "run_a (complete)"

  // The next step with its entries in execution order. Nothing at the end; problems() is then
  // complete.
  struct Step {
    std::uint64_t step = 0;
    std::span<const Entry> entries;
  };
  virtual std::optional<Step> next_step() = 0;

  // What was found wrong so far: malformed names, a damaged log, an open or cut run, ….
  const std::vector<Problem>& problems() const noexcept { return problems_; }
  void add_problem(Problem problem);

  // File name of an entry's payload.
  static std::string payload_name(const Entry& entry);

 protected:
  explicit Run(std::filesystem::path path) : directory_(std::move(path)) {}
  Directory directory_;
  RunState state_ = RunState::bare;
  std::optional<Manifest> manifest_;
  std::optional<EndMarker> end_marker_;
  std::vector<Problem> problems_;
};

// The ranks of a run: `rank_<R>/` directories, or the directory itself as rank 0. Sorted by rank.
// Throws Error io.
struct RankDirectory {
  std::uint32_t rank = 0;
  std::filesystem::path path;
};
std::vector<RankDirectory> rank_directories(const std::filesystem::path& run);

}  // namespace foxhunt
