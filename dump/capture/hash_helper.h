// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <span>
#include <thread>

#include "dump/format/digest.h"

namespace foxhunt {

// Hashes memory on a thread of its own while the caller writes the same memory to a file. The
// thread starts with the first buffer and sleeps between buffers. One caller at a time.
class HashHelper {
 public:
  HashHelper() = default;
  ~HashHelper();
  HashHelper(const HashHelper&) = delete;
  HashHelper& operator=(const HashHelper&) = delete;

  // Begins with both digests of `bytes`, which stay put until finish(). False where the system
  // grants no thread: then nothing was begun.
  bool start(std::span<const std::byte> bytes);
  // Waits; call once after each start() that returned true.
  BufferHasher::Result finish();

 private:
  enum class Job { none, waiting, done, quit };
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  Job job_ = Job::none;
  std::span<const std::byte> bytes_;
  BufferHasher::Result result_;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace foxhunt
