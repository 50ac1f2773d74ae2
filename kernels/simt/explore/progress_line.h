// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace foxhunt {

// "[#######.............] 352/1000  block_sum  12 s left", a line on a terminal's stderr that is
// written over. Nothing shows in the first half second, so that short work leaves no trace.
class ProgressLine {
 public:
  ProgressLine() : begin_(Clock::now()), last_(begin_) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const std::string& name, std::uint64_t done, std::uint64_t all);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  Clock::time_point begin_;  // of this name's work
  Clock::time_point last_;
  std::string name_;
  bool shown_ = false;
};

// The line's text. `seconds`: since the work began.
std::string progress_text(const std::string& name, std::uint64_t done, std::uint64_t all,
                          double seconds);

}  // namespace foxhunt
