// SPDX-License-Identifier: MIT
#include "compare/report/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "compare/report/page.h"

namespace foxhunt {
namespace {

// The bar is a courtesy: a terminal that is gone is no reason to fail.
void draw(int fd, const std::string& text) {
  [[maybe_unused]] const ssize_t ignored = ::write(fd, text.data(), text.size());
}

}  // namespace

void Progress::progress(std::uint64_t done, std::uint64_t total) {
  if (fd_ < 0) return;
  const Clock::time_point now = Clock::now();
  if (now < due_) return;
  due_ = now + std::chrono::milliseconds(100);
  drawn_ = true;

  const double seconds = std::chrono::duration<double>(now - started_).count();
  const auto speed = static_cast<std::uint64_t>(static_cast<double>(done) / seconds);
  std::string text = fmt::format("\r\x1b[Kcompared {}", bytes_text(done));
  if (total > 0) {
    constexpr std::uint64_t kCells = 30;
    const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
    const auto full = static_cast<std::size_t>(share * static_cast<double>(kCells));
    text += fmt::format(" of {} [{:#<{}}{:.<{}}] {:.0f} %", bytes_text(total), "", full, "",
                        kCells - full, 100 * share);
  }
  draw(fd_, text + fmt::format(", {}/s", bytes_text(speed)));
}

Progress::~Progress() {
  if (drawn_) draw(fd_, "\r\x1b[K");
}

}  // namespace foxhunt
