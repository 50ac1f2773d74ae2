// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "dump/format/dtype.h"

namespace foxhunt::bench {

// Two complete runs in fresh directories, so that no file is one that was there before.
struct RunPair {
  std::filesystem::path a, b;
  std::vector<std::string> dumps;  // file names of the payloads, the same in both
  std::uint64_t bytes = 0;         // of the payloads of one side
};

// Equal payloads of random bytes: `files` buffers of `file_bytes` in each of `steps` steps.
RunPair make_equal_pair(const std::filesystem::path& where, std::uint64_t steps, std::size_t files,
                        std::size_t file_bytes);

// One step of four float buffers in which every element differs, by a few ULP.
RunPair make_different_pair(const std::filesystem::path& where, DType dtype, std::size_t bytes);

// Equal runs without payloads: `steps` steps of `records` records each.
RunPair make_digest_pair(const std::filesystem::path& where, std::uint64_t steps,
                         std::size_t records);

}  // namespace foxhunt::bench
