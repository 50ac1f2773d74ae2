// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace foxhunt {

// Prints "foxhunt: <text>" and a newline on stderr, in one write, so that lines of several ranks
// stay whole. Trouble with stderr is nobody's trouble.
void print_message(std::string_view text) noexcept;

}  // namespace foxhunt
