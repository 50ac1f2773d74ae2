// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "compare/report/cluster.h"
#include "compare/report/highlights.h"
#include "compare/runs/comparison.h"

namespace foxhunt {

struct TextOptions {
  bool colour = false;
  bool accept_tolerance = false;  // the exit code goes by tolerance
};

// The report for people: the verdict in one line; what differs between the runs' circumstances;
// where the divergence began, who is to blame and how sure that is; the buffers of that step; the
// table of steps and groups; problems; what to do next. Bounded: whatever there may be millions of
// is cut after the first few, with their number, and --format json lists all.
//
// runs  the two paths as given
std::string text_report(const Comparison& comparison, const Highlights& highlights,
                        const std::vector<std::string>& runs, const TextOptions& options = {});

// Of more than two runs: which are alike, and where they part.
std::string text_report(const Clustering& clustering, const std::vector<std::string>& runs,
                        const TextOptions& options = {});

// The report's first line, without colour: "DIVERGED at step 2: …".
std::string verdict_line(const Comparison& comparison);

}  // namespace foxhunt
