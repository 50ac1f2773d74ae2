// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "compare/runs/run.h"

namespace foxhunt {

// A run written by our dumper: manifest, step log, and an end marker unless it is still open.
class LoggedRun : public Run {
 public:
  explicit LoggedRun(std::unique_ptr<Directory> directory);

  std::optional<Step> next_step() override;

 private:
  void finish();
  void check_marker();
  void check_stale_files();

  RunFile log_;
  std::uint64_t log_offset_ = 0;
  std::optional<StepLogReader> reader_;  // nothing: the log is not there yet
  std::vector<Entry> entries_;
  bool is_repeated(std::uint64_t key);

  std::vector<std::uint64_t> keys_;      // of this step's records: an open-addressing set
  std::vector<std::uint64_t> payloads_;  // keys of all records with a payload
  std::optional<std::uint64_t> last_step_;
  bool finished_ = false;
};

}  // namespace foxhunt
