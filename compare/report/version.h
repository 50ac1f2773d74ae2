// SPDX-License-Identifier: MIT
#pragma once

namespace foxhunt {

// "0.1.0".
const char* foxhunt_version() noexcept;

}  // namespace foxhunt
