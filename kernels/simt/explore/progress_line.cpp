// SPDX-License-Identifier: MIT
#include "kernels/simt/explore/progress_line.h"

#include <fmt/format.h>

#include <cstdio>

namespace foxhunt {

std::string progress_text(const std::string& name, std::uint64_t done, std::uint64_t all,
                          double seconds) {
  constexpr std::uint64_t kWidth = 24;
  const std::uint64_t filled = all == 0 ? kWidth : done * kWidth / all;
  std::string bar(static_cast<std::size_t>(filled), '#');
  bar.resize(kWidth, '.');
  std::string text = fmt::format("[{}] {}/{}  {}", bar, done, all, name);
  if (done > 0 && done < all) {
    const double left = seconds * static_cast<double>(all - done) / static_cast<double>(done);
    text += fmt::format("  {:.0f} s left", left);
  }
  return text;
}

void ProgressLine::show(const std::string& name, std::uint64_t done, std::uint64_t all) {
  using std::chrono::duration;
  const Clock::time_point now = Clock::now();
  if (name != name_) {
    name_ = name;
    begin_ = now;
  }
  constexpr auto kFirst = std::chrono::milliseconds(500), kAgain = std::chrono::milliseconds(100);
  if (now - last_ < (shown_ ? kAgain : kFirst)) return;
  last_ = now;
  shown_ = true;
  const std::string text = progress_text(name, done, all, duration<double>(now - begin_).count());
  std::fprintf(stderr, "\r%s\033[K", text.c_str());
  std::fflush(stderr);
}

void ProgressLine::clear() {
  if (!shown_) return;
  shown_ = false;
  std::fprintf(stderr, "\r\033[K");
  std::fflush(stderr);
}

}  // namespace foxhunt
