// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace foxhunt {

// Writes all of `text`, however the kernel cuts it. Throws Error io; `where` names the place.
void write_fully(int fd, std::string_view text, std::string_view where);

// Text of any length, waiting for its turn: the first `in_memory` bytes in memory, then in a file
// that has no name (under TMPDIR, or /tmp), so that nothing is left whatever happens.
class Spool {
 public:
  explicit Spool(std::size_t in_memory = std::size_t{1} << 20) : in_memory_(in_memory) {}
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  // Appends all of it or, when it throws Error io (the disk is full, …), none.
  void append(std::string_view text);
  std::uint64_t bytes() const noexcept { return spilled_ + memory_.size(); }
  // May be called more than once. Throws Error io.
  void copy_to(int fd, std::string_view where) const;

 private:
  void spill();

  std::size_t in_memory_;
  std::string memory_;  // what comes after the file's contents
  std::uint64_t spilled_ = 0;
  int fd_ = -1;
};

// A file that appears whole or not at all: written beside its place under another name and renamed.
class WholeFile {
 public:
  enum class Existing : std::uint8_t { replace, refuse };

  // Looks at the place, writes nothing yet. A symbolic link stands for the file it points to.
  // Throws Error bad_argument: no such folder, no permission, a directory, something that is no
  // regular file, a file already there with Existing::refuse, or a place inside one of `forbidden`.
  WholeFile(const std::filesystem::path& path, Existing existing,
            const std::vector<std::filesystem::path>& forbidden = {});
  ~WholeFile();  // without commit(): nothing is left
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  const std::string& where() const noexcept { return where_; }  // the path as given
  // Opens the file under its other name. Throws Error io.
  int open();
  // Throws Error io, and bad_argument for a file that has appeared since, with Existing::refuse.
  void commit();

 private:
  std::filesystem::path path_, temporary_;
  std::string where_;
  Existing existing_;
  int fd_ = -1;
};

}  // namespace foxhunt
