// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace foxhunt {

// An open directory. Files are opened beneath it by plain name only: no symbolic link is followed,
// nothing but a regular file is accepted, and opening never blocks.
class Directory {
 public:
  // Throws Error missing or io. The path itself may be a symbolic link.
  explicit Directory(std::filesystem::path path);
  // The directory `name` in `parent`; a symbolic link is refused.
  Directory(const Directory& parent, const std::string& name);
  ~Directory();
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }
  int fd() const noexcept { return fd_; }

  // Calls `each` with every entry's name but "." and "..", in no order. Throws Error io.
  void for_each_name(const std::function<void(std::string_view)>& each) const;

 private:
  void open_at(int parent, const char* name, int flags);

  std::filesystem::path path_;
  int fd_ = -1;
};

// A regular file open for reading, with its size when opened.
class RunFile {
 public:
  RunFile() = default;
  // Throws Error: missing; io for no regular file, a symbolic link, no permission.
  RunFile(const Directory& directory, const std::string& name);
  ~RunFile();
  RunFile(RunFile&& other) noexcept;
  RunFile& operator=(RunFile&& other) noexcept;

  bool is_open() const noexcept { return fd_ >= 0; }
  int fd() const noexcept { return fd_; }
  std::uint64_t size() const noexcept { return size_; }
  std::uint64_t device() const noexcept { return device_; }
  std::uint64_t inode() const noexcept { return inode_; }
  // Whether part of the file is a hole: it occupies less than its size.
  bool is_sparse() const noexcept { return sparse_; }
  // Whether nothing but a hole lies in [offset, offset + bytes).
  bool is_hole(std::uint64_t offset, std::uint64_t bytes) const noexcept;
  // Whether size and modification time are still what they were. A file that changes while it is
  // read cannot be judged.
  bool unchanged() const noexcept;

  // Reads exactly out.size() bytes at `offset`; throws Error io at the end of the file or an I/O
  // error.
  void read(std::uint64_t offset, std::span<std::byte> out) const;

 private:
  std::string path_;
  int fd_ = -1;
  bool sparse_ = false;
  std::uint64_t size_ = 0, device_ = 0, inode_ = 0;
  std::int64_t modified_s_ = 0, modified_ns_ = 0;
};

// Reads a whole small file; throws Error limit if it is over `max_bytes`.
std::string read_small_file(const Directory& directory, const std::string& name,
                            std::uint64_t max_bytes);

}  // namespace foxhunt
