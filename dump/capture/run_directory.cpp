// SPDX-License-Identifier: MIT
#include "dump/capture/run_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <limits>
#include <memory>

#include "dump/format/error.h"
#include "dump/format/file_name.h"

namespace foxhunt {
namespace {

constexpr char kAdvice[] = "set FOXHUNT_DETERMINISM_DIR to a new directory";
constexpr std::size_t kMaxManifest = 64 << 20;

std::string temporary_name(const std::string& name) { return name + ".tmp"; }

bool exists_at(int directory, const char* name) {
  struct stat status;
  return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

FileDescriptor open_directory(const std::filesystem::path& path) {
  FileDescriptor directory(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory.is_open()) {
    throw Error(Errc::io, "{}: cannot be opened: {}", path.string(), errno_text(errno));
  }
  return directory;
}

// What run a directory holds, in words; empty: none. `ranks_too`: rank_<R>/ count as one.
std::string run_held_in(int directory, const std::filesystem::path& path, bool ranks_too) {
  if (exists_at(directory, kManifestFile)) {
    return exists_at(directory, kMarkerFile)
               ? fmt::format("a finished run ({} and {})", kManifestFile, kMarkerFile)
               : fmt::format("an open run ({} without {})", kManifestFile, kMarkerFile);
  }
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(opendir(path.c_str()), closedir);
  if (!listing) {
    throw Error(Errc::io, "{}: cannot be listed: {}", path.string(), errno_text(errno));
  }
  while (const dirent* const entry = readdir(listing.get())) {
    const std::string_view name = entry->d_name;
    if (claims_to_be_dump(name)) return fmt::format("a bare run ({})", name);
    if (ranks_too && name.starts_with("rank_")) return fmt::format("a run of ranks ({}/)", name);
    if (name == kStepLogFile || name == kChunkWordsFile || name == kMarkerFile) {
      return fmt::format("the rest of a run ({})", name);
    }
  }
  return "";
}

void refuse_a_held_run(int directory, const std::filesystem::path& path, bool ranks_too) {
  const std::string held = run_held_in(directory, path, ranks_too);
  if (held.empty()) return;
  throw Error(
      Errc::bad_argument,
      "{}: already holds {}; runs are never mixed or overwritten: {}, or move that run away",
      path.string(), held, kAdvice);
}

std::string read_all(const std::filesystem::path& path) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  std::string text;
  std::array<char, 64 * 1024> block;
  ssize_t got = 0;
  while (file.is_open() && text.size() < kMaxManifest &&
         (got = read(file.get(), block.data(), block.size())) > 0) {
    text.append(block.data(), static_cast<std::size_t>(got));
  }
  return text;
}

// A larger run started again in the directory of a smaller one would meet its own rank's old
// directory in the low ranks only, and the high ranks would be mixed into it.
void refuse_ranks_of_another_run(const std::filesystem::path& parent, const Manifest& manifest) {
  const std::filesystem::path first = parent / "rank_0" / kManifestFile;
  const std::string text = read_all(first);
  if (text.empty()) return;
  const Manifest other = manifest_from_json(text, first.string());
  if (other.world_size != manifest.world_size) {
    throw Error(Errc::bad_argument,
                "{}: already holds a run with a world size of {}, and this one has {}: {}",
                parent.string(), other.world_size, manifest.world_size, kAdvice);
  }
}

void make_directories(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) {
    throw Error(Errc::io, "{}: cannot be made: {}; set FOXHUNT_DETERMINISM_DIR to one that can",
                path.string(), errno_text(error.value()));
  }
}

}  // namespace

RunDirectory::RunDirectory(const std::filesystem::path& path, const Manifest& manifest)
    : path_(path) {
  const WriteSignalGuard guard;
  if (manifest.world_size > 1) {
    const std::filesystem::path parent = path.parent_path();
    make_directories(parent);
    refuse_a_held_run(open_directory(parent).get(), parent, /*ranks_too=*/false);
    refuse_ranks_of_another_run(parent, manifest);
  }
  make_directories(path);
  directory_ = open_directory(path);
  refuse_a_held_run(directory_.get(), path_, /*ranks_too=*/true);

  const std::string text = manifest_to_json(manifest);
  const std::string temporary = temporary_name(kManifestFile);
  FileDescriptor file(openat(directory_.get(), temporary.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!file.is_open() && errno == EEXIST) {
    throw Error(Errc::bad_argument,
                "{}: another process starts a run here, or died while it did ({} is there): {}, or "
                "remove that file",
                path_.string(), temporary, kAdvice);
  }
  if (!file.is_open()) {
    throw Error(Errc::io, "{}: cannot be made: {}", full_name(temporary), errno_text(errno));
  }
  // From here on the temporary file keeps every other writer out. One that was quicker shows now.
  try {
    refuse_a_held_run(directory_.get(), path_, /*ranks_too=*/true);
    write_all(file.get(), text, full_name(temporary));
    file.close(full_name(temporary));
    if (renameat(directory_.get(), temporary.c_str(), directory_.get(), kManifestFile) != 0) {
      throw Error(Errc::io, "{}: cannot be renamed: {}", full_name(temporary), errno_text(errno));
    }
  } catch (...) {
    unlinkat(directory_.get(), temporary.c_str(), 0);
    throw;
  }
  manifest_bytes_ = text.size();
}

std::string RunDirectory::full_name(std::string_view name) const {
  return fmt::format("{}/{}", path_.string(), name);
}

FileDescriptor RunDirectory::create(const std::string& name, int flags) const {
  FileDescriptor file(openat(directory_.get(), name.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | flags, 0666));
  if (!file.is_open()) {
    throw Error(Errc::io, "{}: cannot be made: {}", full_name(name), errno_text(errno));
  }
  return file;
}

void RunDirectory::publish(const std::string& name, std::string_view text) const {
  const std::string temporary = temporary_name(name);
  FileDescriptor file = create(temporary);
  write_all(file.get(), text, full_name(temporary));
  file.close(full_name(temporary));
  if (renameat(directory_.get(), temporary.c_str(), directory_.get(), name.c_str()) != 0) {
    throw Error(Errc::io, "{}: cannot be renamed: {}", full_name(temporary), errno_text(errno));
  }
}

void RunDirectory::remove(const std::string& name) const noexcept {
  unlinkat(directory_.get(), name.c_str(), 0);
}

std::uint64_t RunDirectory::free_bytes() const noexcept {
  struct statvfs status;
  if (fstatvfs(directory_.get(), &status) != 0 || status.f_blocks == 0) {
    return std::numeric_limits<std::uint64_t>::max();
  }
  return std::uint64_t{status.f_bavail} * status.f_frsize;
}

}  // namespace foxhunt
