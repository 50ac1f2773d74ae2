// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace foxhunt {

// The time now, UTC: "2026-12-01T03:23:45Z", and "20261201T032345Z" for file names.
std::string utc_time();
std::string utc_file_name();

}  // namespace foxhunt
