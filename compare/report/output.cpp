// SPDX-License-Identifier: MIT
#include "compare/report/output.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "dump/format/error.h"

namespace foxhunt {
namespace fs = std::filesystem;

void write_fully(int fd, std::string_view text, std::string_view where) {
  while (!text.empty()) {
    const ssize_t wrote = ::write(fd, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) throw Error(Errc::io, "{}: cannot be written: {}", where, errno_text(errno));
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

Spool::~Spool() {
  if (fd_ >= 0) ::close(fd_);
}

void Spool::append(std::string_view text) {
  if (memory_.size() + text.size() > in_memory_) spill();
  memory_ += text;
}

void Spool::spill() {
  const char* folder = std::getenv("TMPDIR");
  if (folder == nullptr || *folder == '\0') folder = "/tmp";
  if (fd_ < 0) {
    std::string name = std::string(folder) + "/foxhunt-report-XXXXXX";
    fd_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (fd_ < 0) {
      throw Error(Errc::io,
                  "{}: no temporary file can be made: {}; set TMPDIR to a folder with room", folder,
                  errno_text(errno));
    }
    ::unlink(name.c_str());
  }
  // A failed write may have left a part: the next one starts over at the same place.
  if (::lseek(fd_, static_cast<off_t>(spilled_), SEEK_SET) < 0) {
    throw Error(Errc::io, "temporary file in {}: {}", folder, errno_text(errno));
  }
  write_fully(fd_, memory_, std::string("temporary file in ") + folder);
  spilled_ += memory_.size();
  memory_.clear();
}

void Spool::copy_to(int fd, std::string_view where) const {
  std::array<char, 64 * 1024> block;
  for (std::uint64_t at = 0; at < spilled_;) {
    const std::size_t want =
        static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), spilled_ - at));
    const ssize_t got = ::pread(fd_, block.data(), want, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      throw Error(Errc::io, "the report's temporary file cannot be read back: {}",
                  got < 0 ? errno_text(errno) : "it ended early");
    }
    write_fully(fd, {block.data(), static_cast<std::size_t>(got)}, where);
    at += static_cast<std::uint64_t>(got);
  }
  write_fully(fd, memory_, where);
}

namespace {

// Whether `path` is `folder` or lies beneath it; both canonical.
bool is_within(const fs::path& path, const fs::path& folder) {
  const auto [rest, end] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return rest == folder.end();
}

}  // namespace

WholeFile::WholeFile(const fs::path& path, Existing existing,
                     const std::vector<fs::path>& forbidden)
    : where_(path.string()), existing_(existing) {
  std::error_code error;
  path_ = fs::weakly_canonical(fs::absolute(path), error);  // else a path to come stays relative
  if (error || !path_.has_filename()) {
    throw Error(Errc::bad_argument, "{}: is no path for a file", where_);
  }
  const fs::path folder = path_.parent_path();
  if (!fs::is_directory(folder, error)) {
    throw Error(Errc::bad_argument, "{}: there is no folder {}; make it first", where_,
                folder.string());
  }
  const fs::file_status status = fs::status(path_, error);
  if (fs::exists(status)) {
    // A rename over /dev/null or a FIFO would put a plain file in its place.
    if (!fs::is_regular_file(status)) {
      throw Error(Errc::bad_argument, "{}: is there and is no regular file; name another", where_);
    }
    if (existing == Existing::refuse) {
      throw Error(Errc::bad_argument, "{}: is already there; name another, or give --force",
                  where_);
    }
  }
  for (const fs::path& run : forbidden) {
    const fs::path inside = fs::canonical(run, error);
    if (!error && is_within(path_, inside)) {
      throw Error(
          Errc::bad_argument,
          "{}: lies inside the run directory {}, where nothing may be written; name a place "
          "outside",
          where_, run.string());
    }
  }
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw Error(Errc::bad_argument, "{}: the folder cannot be written to: {}", where_,
                errno_text(errno));
  }
}

WholeFile::~WholeFile() {
  if (fd_ < 0) return;
  ::close(fd_);
  ::unlink(temporary_.c_str());
}

int WholeFile::open() {
  FOXHUNT_ASSERT(fd_ < 0);
  // A leading dot and a cut name, so that a long name stays a legal one.
  std::string name = "." + path_.filename().string().substr(0, 200) + ".XXXXXX";
  std::string pattern = (path_.parent_path() / name).string();
  fd_ = ::mkostemp(pattern.data(), O_CLOEXEC);
  if (fd_ < 0) throw Error(Errc::io, "{}: cannot be made: {}", where_, errno_text(errno));
  temporary_ = pattern;
  // mkostemp gives 0600; a report is as readable as any file its user makes.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(fd_, 0666 & ~mask);
  return fd_;
}

void WholeFile::commit() {
  FOXHUNT_ASSERT(fd_ >= 0);
  // Some file systems (NFS) report a full disk only here.
  if (::close(std::exchange(fd_, -1)) != 0) {
    const int error = errno;
    ::unlink(temporary_.c_str());
    throw Error(Errc::io, "{}: cannot be written: {}", where_, errno_text(error));
  }
  int result = ::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, path_.c_str(),
                           existing_ == Existing::refuse ? RENAME_NOREPLACE : 0);
  if (result != 0 && errno == EINVAL) {  // a file system without RENAME_NOREPLACE
    result = fs::exists(path_) ? (errno = EEXIST, -1) : ::rename(temporary_.c_str(), path_.c_str());
  }
  if (result != 0) {
    const int error = errno;
    ::unlink(temporary_.c_str());
    throw Error(error == EEXIST ? Errc::bad_argument : Errc::io, "{}: cannot be put in place: {}",
                where_, errno_text(error));
  }
}

}  // namespace foxhunt
