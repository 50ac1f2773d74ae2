// SPDX-License-Identifier: MIT
#include "compare/report/version.h"

namespace foxhunt {

const char* foxhunt_version() noexcept { return FOXHUNT_VERSION; }

}  // namespace foxhunt
