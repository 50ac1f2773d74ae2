// SPDX-License-Identifier: MIT
#include "dump/capture/clock.h"

#include <ctime>

namespace foxhunt {
namespace {

std::string now(const char* format) {
  const std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  return std::string(text, std::strftime(text, sizeof text, format, &parts));
}

}  // namespace

std::string utc_time() { return now("%Y-%m-%dT%H:%M:%SZ"); }
std::string utc_file_name() { return now("%Y%m%dT%H%M%SZ"); }

}  // namespace foxhunt
