// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "compare/report/json_writer.h"
#include "compare/runs/result.h"

namespace foxhunt {

// One element of the report's `buffers`, on one line. The keys rank, step, occurrence, group, name,
// status, elements, differing, first_index, max_abs and max_ulp are always there, null where
// nothing defines them; the others where they say something. README.md lists them all.
//
// extra  members to start with, as JSON without braces ("\"a\": 0, \"b\": 2, "), or empty
std::string buffer_json(const BufferResult& result, std::string_view extra = {});

}  // namespace foxhunt
