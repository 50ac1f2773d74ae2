// SPDX-License-Identifier: MIT
#include "dump/capture/posix_file.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "dump/format/error.h"

namespace foxhunt {
namespace {

// The signal that a failed write of this thread has left pending.
thread_local int raised_by_write = 0;

void swallow(int signal) noexcept {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  const timespec at_once{0, 0};
  while (sigtimedwait(&one, nullptr, &at_once) < 0 && errno == EINTR) {
  }
}

}  // namespace

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) ::close(fd_);
}

FileDescriptor::FileDescriptor(FileDescriptor&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)) {}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

void FileDescriptor::close(std::string_view where) {
  // EINTR: Linux has closed it all the same.
  if (::close(std::exchange(fd_, -1)) != 0 && errno != EINTR) {
    throw Error(Errc::io, "{}: cannot be written: {}", where, errno_text(errno));
  }
}

WriteSignalGuard::WriteSignalGuard() noexcept {
  sigset_t ours;
  sigemptyset(&ours);
  sigaddset(&ours, SIGXFSZ);
  sigaddset(&ours, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &ours, &before_);
}

WriteSignalGuard::~WriteSignalGuard() {
  const int error = errno;
  if (const int raised = std::exchange(raised_by_write, 0); raised != 0) swallow(raised);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  errno = error;
}

void write_all(int fd, std::span<const std::byte> bytes, std::string_view where) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      if (written < 0 && errno == EFBIG) raised_by_write = SIGXFSZ;
      if (written < 0 && errno == EPIPE) raised_by_write = SIGPIPE;
      throw Error(Errc::io, "{}: cannot be written: {}", where,
                  written == 0 ? "the system took no byte" : errno_text(errno));
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void write_all(int fd, std::string_view text, std::string_view where) {
  write_all(fd, std::as_bytes(std::span(text.data(), text.size())), where);
}

AllSignalsBlocked::AllSignalsBlocked() noexcept {
  sigset_t all;
  sigfillset(&all);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigdelset(&all, fault);
  pthread_sigmask(SIG_SETMASK, &all, &before_);
}

AllSignalsBlocked::~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace foxhunt
