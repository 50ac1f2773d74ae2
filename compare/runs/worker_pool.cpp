// SPDX-License-Identifier: MIT
#include "compare/runs/worker_pool.h"

#include <algorithm>
#include <chrono>

namespace foxhunt {
namespace {
// Waking a thread, and waiting for it at the end, can take ten milliseconds: loops that are over
// soon stay on the calling thread.
constexpr std::chrono::microseconds kWorthWaking{4000};
}  // namespace

WorkerPool::WorkerPool(unsigned threads)
    : thread_count_(threads != 0 ? threads : std::max(1u, std::thread::hardware_concurrency())) {}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool WorkerPool::take(std::size_t& index) {
  const std::lock_guard lock(mutex_);
  if (next_ >= count_) return false;
  index = next_++;
  ++running_;
  return true;
}

void WorkerPool::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stop_ || next_ < count_; });
    if (stop_) return;
    const std::size_t index = next_++;
    ++running_;
    const auto* const job = job_;
    lock.unlock();
    (*job)(index);
    lock.lock();
    if (--running_ == 0 && next_ >= count_) done_.notify_one();
  }
}

void WorkerPool::run(std::size_t count, const std::function<void(std::size_t)>& job,
                     const std::function<void()>& on_progress) {
  if (count == 0) return;
  {
    const std::lock_guard lock(mutex_);
    job_ = &job;
    next_ = 0;
    count_ = count;
  }
  const auto start = std::chrono::steady_clock::now();
  bool alone = true;
  for (std::size_t index = 0; take(index);) {
    job(index);
    {
      const std::lock_guard lock(mutex_);
      --running_;
    }
    if (alone && std::chrono::steady_clock::now() - start > kWorthWaking) {
      alone = false;
      while (threads_.size() + 1 < thread_count_) threads_.emplace_back([this] { work(); });
      wake_.notify_all();
    }
    if (on_progress) on_progress();
  }
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return running_ == 0; });
  count_ = next_ = 0;
  job_ = nullptr;
}

}  // namespace foxhunt
