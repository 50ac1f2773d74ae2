// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>

#include "compare/runs/comparison.h"

namespace foxhunt {

// A bar on one line of a terminal, for work that takes over a second; gone when the object goes.
class Progress final : public ResultSink {
 public:
  // fd  a terminal, or -1 for no bar
  explicit Progress(int fd) : fd_(fd) {}
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void buffer(const BufferResult&) override {}
  bool wants_progress() const override { return fd_ >= 0; }
  void progress(std::uint64_t done, std::uint64_t total) override;

 private:
  using Clock = std::chrono::steady_clock;

  int fd_;
  Clock::time_point started_ = Clock::now();
  Clock::time_point due_ = started_ + std::chrono::seconds(1);
  bool drawn_ = false;
};

}  // namespace foxhunt
