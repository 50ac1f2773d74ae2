// SPDX-License-Identifier: MIT
#include "tests/dump/capture/written_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "dump/format/file_name.h"
#include "tests/support/temporary_directory.h"

namespace foxhunt::test {
namespace {

void check(WrittenRun& run, bool holds, const std::string& what) {
  if (!holds) run.mistakes.push_back(what);
}

void read_steps(WrittenRun& run, const std::filesystem::path& directory) {
  const std::string log = read_file(directory / kStepLogFile);
  const std::string words = read_file(directory / kChunkWordsFile);
  std::size_t at = 0;
  StepLogReader reader(
      [&](std::span<char> out) {
        const std::size_t take = std::min(out.size(), log.size() - at);
        std::memcpy(out.data(), log.data() + at, take);
        at += take;
        return take;
      },
      kStepLogFile);
  while (const auto step = reader.next()) {
    WrittenStep& written = run.steps.emplace_back();
    written.step = step->step;
    for (const Record& record : step->records) {
      WrittenRecord& r = written.records.emplace_back();
      r.record = record;
      r.name = record.name;
      r.shape = record.shape;
      const std::string where = fmt::format("step {} {}", step->step, r.name);
      const std::uint64_t count = chunk_count(record.bytes);
      std::vector<std::uint64_t> own(count);
      if ((record.words_at + count) * 8 > words.size()) {
        run.mistakes.push_back(where + ": chunk words are missing");
      } else if (count > 0) {
        std::memcpy(own.data(), words.data() + record.words_at * 8, count * 8);
      }
      check(run, chunked_digest(own, record.bytes) == record.chunked, where + ": words or digest");
      if (record.form == Form::digest) continue;
      r.bytes = read_file(
          directory / dump_file_name(record.step, record.occurrence, record.group, record.name));
      const auto bytes = std::as_bytes(std::span(r.bytes));
      check(run, bytes.size() == record.bytes, where + ": length");
      check(run, payload_digest(bytes) == record.payload, where + ": payload digest");
      std::vector<std::uint64_t> expected(chunk_count(bytes.size()));
      chunk_words(bytes, expected);
      check(run, expected == own, where + ": chunk words of the payload");
    }
  }
  run.tail = reader.tail();
  if (!run.end) return;
  check(run, run.tail == StepLogReader::Tail::clean, "an ended log that is not clean");
  check(run, run.end->committed_steps == reader.committed_steps(), "committed steps");
  check(run, run.end->records == reader.records(), "records");
  check(run, run.end->running_check == reader.running_check(), "running check");
  check(run, run.manifest && run.end->run_id == run.manifest->run_id, "run id");
}

}  // namespace

const WrittenRecord* WrittenStep::find(std::string_view name, std::uint32_t occurrence) const {
  const auto found = std::find_if(records.begin(), records.end(), [&](const WrittenRecord& r) {
    return r.name == name && r.record.occurrence == occurrence;
  });
  return found == records.end() ? nullptr : &*found;
}

std::string WrittenStep::names() const {
  std::string text;
  for (const WrittenRecord& r : records) {
    if (!text.empty()) text += ' ';
    text += fmt::format("{}/{}", r.record.group, r.name);
    if (r.record.occurrence > 0) text += fmt::format("@{}", r.record.occurrence);
  }
  return text;
}

std::vector<std::uint64_t> WrittenRun::step_numbers() const {
  std::vector<std::uint64_t> numbers;
  for (const WrittenStep& step : steps) numbers.push_back(step.step);
  return numbers;
}

WrittenRun read_written_run(const std::filesystem::path& directory) {
  WrittenRun run;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    run.files.push_back(entry.path().filename());
    if (entry.is_regular_file()) run.bytes_on_disk += entry.file_size();
  }
  std::sort(run.files.begin(), run.files.end());
  const auto holds = [&](const char* name) {
    return std::binary_search(run.files.begin(), run.files.end(), name);
  };
  if (holds(kManifestFile)) {
    run.manifest = manifest_from_json(read_file(directory / kManifestFile), kManifestFile);
  }
  if (holds(kMarkerFile)) {
    run.end = end_marker_from_json(read_file(directory / kMarkerFile), kMarkerFile);
  }
  // The files of a run that was stopped early may not be there yet.
  if (holds(kStepLogFile) && holds(kChunkWordsFile)) read_steps(run, directory);
  return run;
}

}  // namespace foxhunt::test
