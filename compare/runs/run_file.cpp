// SPDX-License-Identifier: MIT
#include "compare/runs/run_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include "dump/format/error.h"

namespace foxhunt {

Directory::Directory(std::filesystem::path path) : path_(std::move(path)) {
  open_at(AT_FDCWD, path_.c_str(), 0);
}

Directory::Directory(const Directory& parent, const std::string& name)
    : path_(parent.path() / name) {
  open_at(parent.fd(), name.c_str(), O_NOFOLLOW);
}

void Directory::open_at(int parent, const char* name, int flags) {
  fd_ = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
  if (fd_ < 0) {
    throw Error(errno == ENOENT ? Errc::missing : Errc::io,
                "{}: cannot be opened as a directory: {}", path_.string(), errno_text(errno));
  }
}

Directory::~Directory() { ::close(fd_); }

void Directory::for_each_name(const std::function<void(std::string_view)>& each) const {
  const int fd = ::openat(fd_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(fd < 0 ? nullptr : ::fdopendir(fd), ::closedir);
  if (!stream) {
    const int error = errno;
    if (fd >= 0) ::close(fd);
    throw Error(Errc::io, "{}: cannot be listed: {}", path_.string(), errno_text(error));
  }
  while (true) {
    errno = 0;
    const dirent* const entry = ::readdir(stream.get());
    if (entry == nullptr) break;
    const std::string_view name(entry->d_name);
    if (name != "." && name != "..") each(name);
  }
  if (errno != 0) {
    throw Error(Errc::io, "{}: cannot be listed: {}", path_.string(), errno_text(errno));
  }
}

RunFile::RunFile(const Directory& directory, const std::string& name)
    : path_((directory.path() / name).string()) {
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos) {
    throw Error(Errc::format, "{}: \"{}\" is not the name of a file in a run", path_, name);
  }
  // O_NONBLOCK: opening a FIFO must not wait for a writer.
  fd_ = ::openat(directory.fd(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd_ < 0) {
    const int error = errno;
    if (error == ELOOP) {
      throw Error(Errc::io, "{}: is a symbolic link; a run's files must stand in the run itself",
                  path_);
    }
    throw Error(error == ENOENT ? Errc::missing : Errc::io, "{}: cannot be opened: {}", path_,
                errno_text(error));
  }
  struct stat status;
  if (::fstat(fd_, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(std::exchange(fd_, -1));
    throw Error(Errc::io, "{}: is not a regular file", path_);
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
  sparse_ = static_cast<std::uint64_t>(status.st_blocks) * 512 < size_;
  device_ = status.st_dev;
  inode_ = status.st_ino;
  modified_s_ = status.st_mtim.tv_sec;
  modified_ns_ = status.st_mtim.tv_nsec;
}

RunFile::~RunFile() {
  if (fd_ >= 0) ::close(fd_);
}

RunFile::RunFile(RunFile&& other) noexcept { *this = std::move(other); }

RunFile& RunFile::operator=(RunFile&& other) noexcept {
  if (this == &other) return *this;
  if (fd_ >= 0) ::close(fd_);
  path_ = std::move(other.path_);
  fd_ = std::exchange(other.fd_, -1);
  sparse_ = other.sparse_;
  size_ = other.size_;
  device_ = other.device_;
  inode_ = other.inode_;
  modified_s_ = other.modified_s_;
  modified_ns_ = other.modified_ns_;
  return *this;
}

bool RunFile::is_hole(std::uint64_t offset, std::uint64_t bytes) const noexcept {
  const off_t data = ::lseek(fd_, static_cast<off_t>(offset), SEEK_DATA);
  if (data < 0) return errno == ENXIO && offset + bytes <= size_;
  return static_cast<std::uint64_t>(data) >= offset + bytes;
}

bool RunFile::unchanged() const noexcept {
  struct stat status;
  return ::fstat(fd_, &status) == 0 && static_cast<std::uint64_t>(status.st_size) == size_ &&
         status.st_mtim.tv_sec == modified_s_ && status.st_mtim.tv_nsec == modified_ns_;
}

void RunFile::read(std::uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const ssize_t got = ::pread(fd_, out.data(), out.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(Errc::io, "{}: cannot be read: {}", path_, errno_text(errno));
    if (got == 0) {
      throw Error(Errc::io, "{}: ends at byte {}, though it was {} bytes long when opened", path_,
                  offset, size_);
    }
    out = out.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
}

std::string read_small_file(const Directory& directory, const std::string& name,
                            std::uint64_t max_bytes) {
  const RunFile file(directory, name);
  if (file.size() > max_bytes) {
    throw Error(Errc::limit, "{}: is {} bytes long; no such file has over {}",
                (directory.path() / name).string(), file.size(), max_bytes);
  }
  std::string text(file.size(), '\0');
  file.read(0, std::as_writable_bytes(std::span(text)));
  return text;
}

}  // namespace foxhunt
