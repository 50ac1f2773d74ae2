// SPDX-License-Identifier: MIT
#pragma once

#include <signal.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace foxhunt {

// Owns a file descriptor.
class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) noexcept : fd_(fd) {}
  ~FileDescriptor();
  FileDescriptor(FileDescriptor&& other) noexcept;
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;

  int get() const noexcept { return fd_; }
  bool is_open() const noexcept { return fd_ >= 0; }
  // Throws Error io: some file systems tell only now that the bytes did not fit. `where` names the
  // file in the message.
  void close(std::string_view where);

 private:
  int fd_;
};

// While it lives, a write of this thread that passes RLIMIT_FSIZE or goes to a closed pipe fails
// with an error number; the signals that would end the process are blocked, and those that the
// writes raised are swallowed.
class WriteSignalGuard {
 public:
  WriteSignalGuard() noexcept;
  ~WriteSignalGuard();
  WriteSignalGuard(const WriteSignalGuard&) = delete;
  WriteSignalGuard& operator=(const WriteSignalGuard&) = delete;

 private:
  sigset_t before_;
};

// Writes all of it, whatever the number of calls that takes. Throws Error io with `where` in its
// text. Hold a WriteSignalGuard.
void write_all(int fd, std::span<const std::byte> bytes, std::string_view where);
void write_all(int fd, std::string_view text, std::string_view where);

// Blocks every signal but those of faults in this thread while it lives, so that a thread started
// meanwhile runs none of the trainer's handlers.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked() noexcept;
  ~AllSignalsBlocked();
  AllSignalsBlocked(const AllSignalsBlocked&) = delete;
  AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace foxhunt
