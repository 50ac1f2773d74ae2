// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace foxhunt {

// What may explain a difference between two runs and can be found out without the trainer's help:
//
//   argv        the command line, quoted so that a shell reads it back
//   git_commit  checked out where the process runs; left out where there is none
//   host, kernel, foxhunt
//   env.NAME    of FOXHUNT_*, CUDA_*, CUBLAS_*, NCCL_* and OMP_*; but for
//               FOXHUNT_DETERMINISM_DIR, which differs between any two runs
//
// Values are valid UTF-8 whatever the bytes were. `environment` is in the form of `environ`.
std::map<std::string, std::string> find_provenance(const char* const* environment);

// The words of a command line, quoted for a shell where needed. `cmdline` is in the form of
// /proc/self/cmdline: each word ends in a NUL.
std::string quote_command(std::string_view cmdline);

// The text with each byte that is no part of valid UTF-8, and each control character, as \xNN.
std::string escape_controls(std::string_view bytes);

}  // namespace foxhunt
