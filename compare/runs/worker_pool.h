// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace foxhunt {

// Threads that share one loop after another; the calling thread is one of them.
class WorkerPool {
 public:
  // `threads` in all; 0: one a core.
  explicit WorkerPool(unsigned threads);
  ~WorkerPool();

  // Calls job(i) once for every i below `count`, in ascending order of starting, on several
  // threads. `job` must not throw. `on_progress`, if given, is called now and then on the calling
  // thread.
  void run(std::size_t count, const std::function<void(std::size_t)>& job,
           const std::function<void()>& on_progress = nullptr);

 private:
  void work();
  bool take(std::size_t& index);

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(std::size_t)>* job_ = nullptr;
  std::size_t next_ = 0, count_ = 0, running_ = 0;
  bool stop_ = false;
  unsigned thread_count_;
  std::vector<std::thread> threads_;  // started on the first run that is worth it
};

}  // namespace foxhunt
