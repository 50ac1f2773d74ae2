// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "compare/report/page.h"
#include "compare/runs/result.h"

namespace foxhunt {

// One divergent buffer: how much of it differs, where, by how much, and with what signs.
void print_buffer(Page& page, const BufferResult& result);

// "[3,0,17]", or "17" where the shape is not known.
std::string index_text(const BufferResult& result, std::uint64_t index);

}  // namespace foxhunt
