// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "compare/report/exit_code.h"
#include "compare/runs/comparison.h"

namespace foxhunt {

// What compare-backward-state was asked for.
struct CompareCommand {
  std::vector<std::string> runs;  // two or more
  CompareOptions options;
  bool json = false;        // on stdout; else text
  bool quiet = false;       // nothing on stdout
  std::string report_path;  // JSON there too; empty: nowhere
  bool colour = false;
  bool progress = false;  // a bar on stderr
  ExitPolicy exit;
};

// Compares, writes the report to stdout and to report_path, and returns the exit code. What goes
// wrong within a run stands in the report; when a report cannot be written the exit code says
// trouble and stderr what happened, whatever the verdict.
//
// Throws Error bad_argument, before anything is read, for options that make no sense together or a
// report path that will not do.
int compare_command(const CompareCommand& command);

// "REGEX=RTOL,ATOL", split at the last '='. Throws Error bad_argument.
ToleranceRule parse_tolerance_rule(const std::string& text);

}  // namespace foxhunt
