// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace foxhunt::test {

// One run of probe_trainer, or of whatever program.
struct Probe {
  std::vector<std::string> arguments;              // the program first
  std::map<std::string, std::string> environment;  // on top of a bare one
  std::function<bool()> before;  // in the child, before the program starts; false: cannot be done
};

struct ProbeResult {
  bool could_start = true;  // whether `before` said so
  int exit_code = -1;       // -1: ended by `signal`
  int signal = 0;
  std::string output, errors;

  // Lines of `errors`.
  std::vector<std::string> messages() const;
};

// Runs it to its end; `scratch` holds its output meanwhile.
ProbeResult run_probe(const Probe& probe, const std::filesystem::path& scratch);

// Starts it and kills it with SIGKILL after so many microseconds.
void run_and_kill(const Probe& probe, unsigned microseconds);

// For `Probe::before`: a file system of so many bytes at `directory`, which only this process and
// its children see. False where the system does not allow it.
bool mount_small_disk(const std::filesystem::path& directory, std::size_t bytes, bool read_only);

}  // namespace foxhunt::test
