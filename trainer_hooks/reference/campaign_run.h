// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "trainer_hooks/reference/injection.h"
#include "trainer_hooks/reference/integrated_trainer.h"

namespace foxhunt {

// Small enough for thousands of runs; what it does not say is as in foxhunt-train.
TrainerOptions campaign_options(std::uint64_t seed, int k_loop);

// A training run to be recorded: the very run that foxhunt-train makes with command()'s options.
struct CampaignRun {
  TrainerOptions trainer;
  std::uint64_t first = 0, steps = 0;  // trains `steps`, and records those from `first` on
  std::uint64_t schedule_seed = 0;
  std::optional<Injection> injection;

  // "FOXHUNT_DETERMINISM_… foxhunt-train …"; the run goes to the directory `name`.
  std::string command(const std::string& name) const;
  // Trains and records into `directory`, which is not there yet. The process environment arms the
  // dumper, as a user's would. Returns whether the injection, if there is one, changed a byte.
  // Throws Error if the trainer or the dumper fails.
  bool record(const Market& market, const std::filesystem::path& directory) const;
};

// A directory for runs, gone with its owner.
class ScratchDirectory {
 public:
  // Within `parent`; empty: TMPDIR, or memory where the system offers it.
  explicit ScratchDirectory(std::filesystem::path parent);
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  // Room for a run: nothing is there, whatever was.
  std::filesystem::path fresh(const std::string& name) const;

 private:
  std::filesystem::path path_;
};

}  // namespace foxhunt
