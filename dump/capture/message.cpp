// SPDX-License-Identifier: MIT
#include "dump/capture/message.h"

#include <unistd.h>

#include <string>

#include "dump/capture/posix_file.h"

namespace foxhunt {

void print_message(std::string_view text) noexcept {
  try {
    const WriteSignalGuard guard;
    write_all(STDERR_FILENO, "foxhunt: " + std::string(text) + "\n", "stderr");
  } catch (...) {
  }
}

}  // namespace foxhunt
