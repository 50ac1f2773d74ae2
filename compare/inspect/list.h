// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string_view>

#include "compare/inspect/selection.h"

namespace foxhunt {

using TextSink = std::function<void(std::string_view)>;

// Lists the selected buffers in execution order: a paragraph on the run, then one line a buffer
// with step, occurrence, group, name, dtype, shape, bytes and digest (the payload's, or the chunked
// one, marked so, of a digest-only record; "-" in a bare run, which has none), then the sums. Text
// goes to `out` step by step, so that a run of any length is listed in bounded memory.
//
// Returns what was found wrong. Throws what open_runs throws, and Error io.
std::vector<Problem> list_run(const std::filesystem::path& path, const Selection& selection,
                              const TextSink& out);

}  // namespace foxhunt
