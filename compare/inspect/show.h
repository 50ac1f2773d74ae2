// SPDX-License-Identifier: MIT
#pragma once

#include "compare/inspect/buffer.h"
#include "compare/inspect/list.h"

namespace foxhunt {

// Prints what the buffer is, then its first `limit` values (0: all) so that they read back exactly:
// up to eight a line, each line led by the coordinates of its first value, lines broken where the
// innermost axis ends.
void show_buffer(const FoundBuffer& buffer, std::uint64_t limit, const TextSink& out);

}  // namespace foxhunt
