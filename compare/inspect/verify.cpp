// SPDX-License-Identifier: MIT
#include "compare/inspect/verify.h"

#include <fmt/format.h>

#include "compare/report/page.h"
#include "compare/runs/chunk_words_file.h"
#include "compare/runs/second_look.h"
#include "dump/format/error.h"

namespace foxhunt {
namespace {

class Verifier {
 public:
  explicit Verifier(Verification& result) : result_(result) {}

  void verify(Run& run, const Selection& selection) {
    const std::string path = run.directory().path().string();
    if (!run.manifest()) {
      doubt({"no_digests", path,
             fmt::format("{}: is a bare run: nothing says what its files should hold. Record it "
                         "with foxhunt's dumper to have digests",
                         path)});
      return;
    }
    const ChunkWordsFile words(run);
    while (const auto step = run.next_step()) {
      bool any = false;
      for (const Entry& entry : step->entries) {
        if (!selection.accepts(entry)) continue;
        any = true;
        check(run, words, entry);
      }
      result_.steps += any;
    }
    for (const Problem& problem : run.problems()) sort(problem);
  }

 private:
  void check(const Run& run, const ChunkWordsFile& words, const Entry& entry) {
    ++result_.records;
    const std::string path = (run.directory().path() / entry.payload_name()).string();
    if (!words.read(entry)) {
      mismatch({"chunk_words_mismatch", path,
                fmt::format("{}: its chunk words in {} are gone or disagree with its record", path,
                            kChunkWordsFile)});
      return;
    }
    if (entry.form == Form::digest) return;  // all there is of it
    try {
      const RunFile file(run.directory(), entry.payload_name());
      if (file.size() != entry.bytes) {
        mismatch({"size_mismatch", path,
                  fmt::format("{}: is {} bytes long, its record says {}", path, file.size(),
                              entry.bytes)});
        return;
      }
      const auto digests = hash_payload(file, true);
      result_.bytes += digests.bytes;
      if (!file.unchanged()) {
        doubt({"changed_while_read", path, fmt::format("{}: changed while it was read", path)});
      } else if (digests.payload != entry.payload || digests.chunked != entry.chunked) {
        mismatch({"digest_mismatch", path,
                  fmt::format("{}: holds other bytes than were written: its digest is {}, its "
                              "record says {}",
                              path, format_digest(digests.payload.value_or(Digest128{})),
                              format_digest(entry.payload))});
      }
    } catch (const Error& error) {
      if (error.code() == Errc::missing) {
        mismatch({"missing_file", path, fmt::format("{}: is gone, yet has a record", path)});
      } else {
        doubt({"unreadable_file", path, error.what()});
      }
    }
  }

  // What the reader of the run itself found.
  void sort(const Problem& problem) {
    if (problem.code == "cut_run") {
      result_.notes.push_back(problem);
    } else if (problem.code == "open_run" || problem.code == "changed_while_read") {
      doubt(problem);
    } else {
      add(result_.mismatches, problem);
    }
  }

  void mismatch(Problem problem) {
    ++result_.mismatched;
    add(result_.mismatches, std::move(problem));
  }
  void doubt(Problem problem) { add(result_.doubts, std::move(problem)); }
  static void add(std::vector<Problem>& list, Problem problem) {
    if (list.size() < Verification::kMaxListed) list.push_back(std::move(problem));
  }

  Verification& result_;
};

void print(Page& page, const char* heading, const std::vector<Problem>& problems) {
  if (problems.empty()) return;
  constexpr std::size_t kShown = 20;
  page.section(heading);
  for (std::size_t i = 0; i < std::min(kShown, problems.size()); ++i) {
    page.paragraph(fmt::format("[{}] {}", problems[i].code, printable(problems[i].message)), 2, 4);
  }
  if (problems.size() > kShown) page.line(fmt::format("  and {} more", problems.size() - kShown));
}

}  // namespace

Verification verify_run(const std::filesystem::path& path, const Selection& selection) {
  OpenedRuns opened = open_runs(path, selection);
  Verification result;
  result.doubts = std::move(opened.problems);
  for (OpenedRuns::Rank& rank : opened.ranks) Verifier(result).verify(*rank.run, selection);
  if (result.records == 0 && result.doubts.empty() && result.mismatches.empty()) {
    result.doubts.push_back(
        {"nothing_verified", path.string(),
         fmt::format("{}: holds no record, or the options leave none of them", path.string())});
  }
  result.outcome = !result.mismatches.empty() ? Verification::Outcome::mismatch
                   : !result.doubts.empty()   ? Verification::Outcome::cannot_tell
                                              : Verification::Outcome::verified;
  return result;
}

std::string verification_text(const Verification& v, const std::string& run) {
  const std::string seen = fmt::format("{} in {}, {}", count_of(v.records, "record"),
                                       count_of(v.steps, "step"), bytes_text(v.bytes));
  Page page(false);
  switch (v.outcome) {
    case Verification::Outcome::verified:
      page.line(fmt::format("VERIFIED: {}: {}: all as written", printable(run), seen));
      break;
    case Verification::Outcome::mismatch:
      page.line(fmt::format("MISMATCH: {}: {} looked at, {} of them not what was written",
                            printable(run), seen, count_of(v.mismatched, "record")));
      break;
    case Verification::Outcome::cannot_tell:
      page.line(fmt::format("CANNOT TELL: {}: {} looked at, none of them wrong, but see below",
                            printable(run), seen));
      break;
  }
  print(page, "Not what was written", v.mismatches);
  print(page, "What cannot be told", v.doubts);
  print(page, "Notes", v.notes);
  return page.text();
}

}  // namespace foxhunt
