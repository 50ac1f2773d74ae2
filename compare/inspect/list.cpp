// SPDX-License-Identifier: MIT
#include "compare/inspect/list.h"

#include <fmt/format.h>

#include <iterator>

#include "compare/report/page.h"
#include "dump/format/error.h"

namespace foxhunt {
namespace {

constexpr char kColumns[] = "{:>8} {:>4} {} {:<32} {:<6} {:<16} {:>12} {}\n";

std::string describe(const OpenedRuns::Rank& rank, bool by_rank) {
  const Run& run = *rank.run;
  std::string text = fmt::format("{}: {}", printable(run.directory().path().string()),
                                 run_state_name(run.state()));
  if (by_rank) text += fmt::format(", rank {}", rank.rank);
  if (const auto& manifest = run.manifest()) {
    text += fmt::format(", {}, run {}, started {}",
                        manifest->mode == DumpMode::full ? "full dump" : "digests only",
                        printable(manifest->run_id), printable(manifest->started_at));
  } else {
    text += ", no manifest: order, dtypes and shapes are the profile's, digests there are none";
  }
  return text + "\n";
}

std::string digest_text(const Entry& entry) {
  if (!entry.logged) return "-";
  return entry.form == Form::full ? format_digest(entry.payload)
                                  : format_digest(entry.chunked) + " (chunked)";
}

// A bare run's file says its size itself.
std::uint64_t bytes_of(const Run& run, const Entry& entry, std::vector<Problem>& problems) {
  if (entry.logged) return entry.bytes;
  try {
    return RunFile(run.directory(), entry.payload_name()).size();
  } catch (const Error& error) {
    problems.push_back({"unreadable_file", entry.payload_name(), error.what()});
    return 0;
  }
}

}  // namespace

std::vector<Problem> list_run(const std::filesystem::path& path, const Selection& selection,
                              const TextSink& out) {
  OpenedRuns opened = open_runs(path, selection);
  std::vector<Problem> problems = std::move(opened.problems);
  for (OpenedRuns::Rank& rank : opened.ranks) {
    Run& run = *rank.run;
    std::string text = describe(rank, opened.by_rank);
    text += fmt::format(kColumns, "step", "occ", "g", "name", "dtype", "shape", "bytes", "digest");
    std::uint64_t steps = 0, buffers = 0, bytes = 0;
    while (const auto step = run.next_step()) {
      bool any = false;
      for (const Entry& entry : step->entries) {
        if (!selection.accepts(entry)) continue;
        any = true;
        ++buffers;
        const std::uint64_t size = bytes_of(run, entry, problems);
        bytes += size;
        fmt::format_to(std::back_inserter(text), kColumns, entry.step, entry.occurrence,
                       entry.group, entry.name, entry.dtype ? dtype_name(*entry.dtype) : "?",
                       entry.shape.empty() ? "?" : entry.shape, size, digest_text(entry));
      }
      steps += any;
      out(text);
      text.clear();
    }
    text += fmt::format("{}, {}, {}\n", count_of(steps, "step"), count_of(buffers, "buffer"),
                        bytes_text(bytes));
    out(text);
    problems.insert(problems.end(), run.problems().begin(), run.problems().end());
  }
  return problems;
}

}  // namespace foxhunt
