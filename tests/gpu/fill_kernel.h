// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace foxhunt::test {

// What the producer writes: no two versions agree anywhere.
__host__ __device__ constexpr std::uint32_t fill_value(std::uint32_t version, std::size_t at) {
  return static_cast<std::uint32_t>(at) * 2654435761u + version;
}

// Queues: data[i] = fill_value(version, i), device memory, u32 [count]. Each block first spins for
// `cycles` of the multiprocessor's clock, so that a copy made too early shows.
void launch_fill(std::uint32_t* data, std::size_t count, std::uint32_t version, long long cycles,
                 cudaStream_t stream);

}  // namespace foxhunt::test
