// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "kernels/simt/dialect.h"
#include "kernels/simt/races.h"
#include "kernels/simt/schedule.h"

namespace foxhunt::test {

// The line of source that an access names. Compilers name headers relative to where they ran.
inline std::string source_line(const simt::Race::Access& access) {
  const auto inside = access.file.rfind("kernels/");
  if (inside == access.file.npos) return {};
  std::ifstream file(FOXHUNT_SOURCE_DIR "/" + access.file.substr(inside));
  std::string text;
  for (int line = 0; line < access.line; ++line) std::getline(file, text);
  return text;
}

// Launches once, in order: that is enough to find every race.
class RaceTest : public testing::Test {
 protected:
  RaceTest() : scope_(schedule()) { EXPECT_TRUE(simt::detects_races()); }

  // In order, but with all blocks resident: ThreadSanitizer forgets where an access of a thread was
  // once the thread's block has gone.
  static simt::Schedule schedule() {
    simt::Schedule schedule;
    schedule.resident = 8;
    schedule.watchdog_ms = 0;  // writing a report takes long, and must not be cut short
    return schedule;
  }

  static void expect_none(const char* what) {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (const auto& race : simt::take_races()) ADD_FAILURE() << what << ": " << race.text();
  }

  // At least one race, and each between one line that contains `one` and one that contains `other`.
  // Of accesses in blocks that have gone the detector may have forgotten the line, but not in all.
  static void expect_between(const std::string& one, const std::string& other) {
    expect_between_any({{one, other}});
  }

  // The same for several pairs of lines, any of which will do for a race.
  using Lines = std::pair<std::string, std::string>;
  static void expect_between_any(const std::vector<Lines>& pairs) {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    int placed = 0;
    for (const auto& race : simt::take_races()) {
      const std::string first = source_line(race.first), second = source_line(race.second);
      placed += race.second.line > 0 ? 1 : 0;
      const auto has = [&](const std::string& line, const std::string& text) {
        return line.find(text) != line.npos || (&line == &second && race.second.line == 0);
      };
      EXPECT_TRUE(std::any_of(pairs.begin(), pairs.end(),
                              [&](const Lines& lines) {
                                return (has(first, lines.first) && has(second, lines.second)) ||
                                       (has(first, lines.second) && has(second, lines.first));
                              }))
          << race.text() << "\n"
          << first << "\n"
          << second;
    }
    EXPECT_GT(placed, 0);
  }

 private:
  simt::ScheduleScope scope_;
};

}  // namespace foxhunt::test
