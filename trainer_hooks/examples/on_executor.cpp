// SPDX-License-Identifier: MIT
// Runs an example that was written for CUDA on the CPU executor. FOXHUNT_SCHEDULE_SEED names the
// schedule; without it the system draws one, so that two runs differ in order as on a GPU.
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

#include "kernels/simt/schedule.h"

int example_main(int argc, char** argv);  // its main, which the build renames

int main(int argc, char** argv) {
  const char* const given = std::getenv("FOXHUNT_SCHEDULE_SEED");
  const std::uint64_t seed = given != nullptr ? std::stoull(given) : std::random_device()();
  // Of the policies that disturb every launch: permute, walk and swarm, in turn.
  foxhunt::simt::set_schedule(foxhunt::simt::schedule_for(2 + seed % 3, seed));
  return example_main(argc, argv);
}
