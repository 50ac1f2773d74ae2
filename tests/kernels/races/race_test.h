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
    return schedule;
  }

  static void expect_none(const char* what) {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (const auto& race : simt::take_races()) ADD_FAILURE() << what << ": " << race.text();
  }

  // At least one race, and each between one line that contains `one` and one that contains `other`.
  static void expect_between(const std::string& one, const std::string& other) {
    expect_between_any({{one, other}});
  }

  // The same for several pairs of lines, any of which will do for a race.
  using Lines = std::pair<std::string, std::string>;
  static void expect_between_any(const std::vector<Lines>& pairs) {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    const auto races = simt::take_races();
    EXPECT_FALSE(races.empty());
    for (const auto& race : races) {
      const std::string first = source_line(race.first), second = source_line(race.second);
      const auto has = [](const std::string& line, const std::string& text) {
        return line.find(text) != line.npos;
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
  }

 private:
  simt::ScheduleScope scope_;
};

}  // namespace foxhunt::test
