// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "dump/format/digest.h"
#include "dump/format/error.h"

namespace foxhunt::fuzz {

// A step log with every check word put right, so that a fuzzer reaches the fields behind them:
// replaces each line's last 16 characters, and the running check of commit lines.
inline std::string with_right_checks(std::string_view text) {
  constexpr std::size_t kWord = 17;  // a space and 16 hex digits
  std::string out;
  RunningCheck running;
  const auto append_word = [&out](std::uint64_t word) {
    fmt::format_to(std::back_inserter(out), " {:016x}", word);
  };
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::size_t start = out.size();
    line.remove_suffix(std::min(line.size(), kWord));
    if (line.starts_with("commit ")) {
      line.remove_suffix(std::min(line.size(), kWord));
      out += line;
      append_word(running.value());
    } else {
      out += line;
    }
    append_word(check_word(std::string_view(out).substr(start)));
    out += '\n';
    running.update(std::string_view(out).substr(start));
  }
  return out;
}

}  // namespace foxhunt::fuzz
