// SPDX-License-Identifier: MIT
#include "dump/capture/hash_helper.h"

#include <system_error>
#include <utility>

#include "dump/capture/posix_file.h"

namespace foxhunt {

HashHelper::~HashHelper() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    job_ = Job::quit;
  }
  changed_.notify_all();
  thread_.join();
}

bool HashHelper::start(std::span<const std::byte> bytes) {
  if (!thread_.joinable()) {
    const AllSignalsBlocked blocked;
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error&) {
      return false;
    }
  }
  {
    const std::lock_guard lock(mutex_);
    bytes_ = bytes;
    job_ = Job::waiting;
  }
  changed_.notify_all();
  return true;
}

BufferHasher::Result HashHelper::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return job_ == Job::done; });
  job_ = Job::none;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  return std::move(result_);
}

void HashHelper::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return job_ == Job::waiting || job_ == Job::quit; });
    if (job_ == Job::quit) return;
    const std::span<const std::byte> bytes = bytes_;
    lock.unlock();
    BufferHasher::Result result;
    std::exception_ptr failure;
    try {
      BufferHasher hasher(/*with_payload_digest=*/true);
      hasher.update(bytes);
      result = hasher.finish();
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    result_ = std::move(result);
    failure_ = std::move(failure);
    job_ = Job::done;
    changed_.notify_all();
  }
}

}  // namespace foxhunt
