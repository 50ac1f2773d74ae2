// SPDX-License-Identifier: MIT
// The step log: as it stands, and once more with every check word put right, so that the fields
// behind the checks are reached too. Whatever the reader trusts must be written back as it was
// read.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "dump/format/error.h"
#include "dump/format/step_log.h"
#include "tests/fuzz/right_checks.h"

namespace {

using namespace foxhunt;

void read_lines(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    std::string again;
    if (const auto record = parse_record(line)) {
      append_record(again, *record);
      FOXHUNT_ASSERT(again == std::string(line) + '\n');
      FOXHUNT_ASSERT(parse_shape(record->shape));
    }
    again.clear();
    if (const auto commit = parse_commit(line)) {
      append_commit(again, *commit);
      FOXHUNT_ASSERT(again == std::string(line) + '\n');
    }
  }
}

// Reads a log that arrives in pieces of `piece` bytes, and writes again what it could trust: that
// must be a prefix of the text.
void read_log(std::string_view text, std::size_t piece) {
  std::size_t at = 0;
  StepLogReader reader(
      [&](std::span<char> out) {
        const std::size_t take = std::min({out.size(), piece, text.size() - at});
        std::copy_n(text.data() + at, take, out.data());
        at += take;
        return take;
      },
      "fuzz");
  std::string again;
  RunningCheck running;
  std::uint64_t records = 0, steps = 0;
  while (const auto step = reader.next()) {
    std::string lines;
    for (const Record& record : step->records) append_record(lines, record);
    running.update(lines);
    records += step->records.size();
    ++steps;
    again += lines;
    lines.clear();
    append_commit(lines, {step->step, step->records.size(), records, running.value()});
    running.update(lines);
    again += lines;
  }
  FOXHUNT_ASSERT(text.starts_with(again));
  FOXHUNT_ASSERT(reader.records() == records && reader.committed_steps() == steps);
  FOXHUNT_ASSERT(steps == 0 || reader.running_check() == running.value());
  const bool clean = reader.tail() == StepLogReader::Tail::clean;
  FOXHUNT_ASSERT(clean == (again.size() == text.size()));
  FOXHUNT_ASSERT(clean == reader.tail_message().empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const std::string& log : {std::string(text), fuzz::with_right_checks(text)}) {
    read_lines(log);
    read_log(log, 1 << 20);
    read_log(log, 509);
  }
  return 0;
}
