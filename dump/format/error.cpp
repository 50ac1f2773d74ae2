// SPDX-License-Identifier: MIT
#include "dump/format/error.h"

#include <cstdio>
#include <cstdlib>
#include <system_error>

namespace foxhunt {

const char* errc_name(Errc code) noexcept {
  switch (code) {
    case Errc::bad_argument:
      return "bad_argument";
    case Errc::io:
      return "io";
    case Errc::missing:
      return "missing";
    case Errc::format:
      return "format";
    case Errc::version:
      return "version";
    case Errc::limit:
      return "limit";
    case Errc::device:
      return "device";
  }
  return "unknown";
}

std::string errno_text(int error_number) {
  return fmt::format("{} ({})", std::generic_category().message(error_number), error_number);
}

void assertion_failed(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "foxhunt: %s:%d: internal error: %s does not hold; please report this\n",
               file, line, condition);
  std::abort();
}

}  // namespace foxhunt
