// SPDX-License-Identifier: MIT
#include "tests/dump/capture/scoped_environment.h"

#include <cstdlib>

#include "dump/capture/armed.h"

namespace foxhunt::test {

ScopedEnvironment::~ScopedEnvironment() {
  for (auto entry = before_.rbegin(); entry != before_.rend(); ++entry) {
    if (entry->second) {
      setenv(entry->first.c_str(), entry->second->c_str(), 1);
    } else {
      unsetenv(entry->first.c_str());
    }
  }
}

void ScopedEnvironment::remember(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  before_.emplace_back(name, value == nullptr ? std::nullopt : std::optional<std::string>(value));
}

void ScopedEnvironment::set(const std::string& name, const std::string& value) {
  remember(name);
  setenv(name.c_str(), value.c_str(), 1);
}

void ScopedEnvironment::unset(const std::string& name) {
  remember(name);
  unsetenv(name.c_str());
}

void ScopedEnvironment::clear() {
  for (const char* const suffix :
       {"DEBUG_BACKWARD", "DIR", "STEPS", "GROUPS", "INCLUDE", "EXCLUDE", "MODE", "MAX_BYTES"}) {
    unset(std::string("FOXHUNT_DETERMINISM_") + suffix);
  }
  for (const char* const name :
       {"RANK", "WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "SLURM_PROCID",
        "SLURM_NTASKS", "PMI_RANK", "PMI_SIZE"}) {
    unset(name);
  }
  __atomic_store_n(&foxhunt_armed_state, -1, __ATOMIC_RELAXED);
}

}  // namespace foxhunt::test
