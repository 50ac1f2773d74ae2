// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dump/format/manifest.h"
#include "dump/format/step_log.h"

namespace foxhunt::test {

// A record with text of its own.
struct WrittenRecord {
  Record record;
  std::string name, shape;
  std::string bytes;  // the payload; empty in form digest
};

struct WrittenStep {
  std::uint64_t step = 0;
  std::vector<WrittenRecord> records;

  const WrittenRecord* find(std::string_view name, std::uint32_t occurrence = 0) const;
  // "g/x h/y@1 …" in the log's order, "@i" for an occurrence above 0.
  std::string names() const;
};

// A run directory as read back through dump/format, with every digest and chunk word checked.
struct WrittenRun {
  std::vector<WrittenStep> steps;
  StepLogReader::Tail tail = StepLogReader::Tail::clean;
  std::optional<Manifest> manifest;
  std::optional<EndMarker> end;
  std::vector<std::string> mistakes;  // what does not fit together; empty in a sound run
  std::uint64_t bytes_on_disk = 0;    // of all files
  std::vector<std::string> files;     // sorted

  std::vector<std::uint64_t> step_numbers() const;
};

// An open run is none of the mistakes; a marker that does not agree with the log is.
WrittenRun read_written_run(const std::filesystem::path& directory);

}  // namespace foxhunt::test
