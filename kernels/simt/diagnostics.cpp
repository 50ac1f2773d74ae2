// SPDX-License-Identifier: MIT
#include "kernels/simt/diagnostics.h"

#include <algorithm>
#include <utility>

#include "kernels/simt/engine.h"

namespace foxhunt::simt {
namespace {
std::vector<Diagnostic> found;
}

std::string_view name(DiagnosticKind kind) {
  switch (kind) {
    case DiagnosticKind::barrier_divergence:
      return "barrier divergence";
    case DiagnosticKind::exited_lane:
      return "exited lane";
    case DiagnosticKind::lane_not_in_mask:
      return "lane not in mask";
    case DiagnosticKind::shuffle_source:
      return "shuffle source";
    case DiagnosticKind::deadlock:
      return "deadlock";
    case DiagnosticKind::spin:
      return "spin";
    case DiagnosticKind::trap:
      return "trap";
    case DiagnosticKind::stream_misuse:
      return "stream misuse";
    case DiagnosticKind::memory_misuse:
      return "memory misuse";
  }
  return "unknown";
}

void report(Diagnostic diagnostic) {
  if (!diagnostic.file.empty()) {
    diagnostic.text =
        diagnostic.file + ":" + std::to_string(diagnostic.line) + ": " + diagnostic.text;
  }
  const bool told = std::any_of(found.begin(), found.end(), [&](const Diagnostic& other) {
    return other.kind == diagnostic.kind && other.file == diagnostic.file &&
           other.line == diagnostic.line && other.kernel == diagnostic.kernel &&
           !diagnostic.file.empty();
  });
  if (!told) found.push_back(std::move(diagnostic));
}

const std::vector<Diagnostic>& diagnostics() { return found; }

std::vector<Diagnostic> take_diagnostics() { return std::exchange(found, {}); }

}  // namespace foxhunt::simt
