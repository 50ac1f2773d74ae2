// SPDX-License-Identifier: MIT
#include <algorithm>

#include "dump/capture/cuda_check.h"
#include "tests/gpu/fill_kernel.h"

namespace foxhunt::test {
namespace {

__global__ void fill(std::uint32_t* data, std::size_t count, std::uint32_t version,
                     long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    data[i] = fill_value(version, i);
  }
}

}  // namespace

void launch_fill(std::uint32_t* data, std::size_t count, std::uint32_t version, long long cycles,
                 cudaStream_t stream) {
  constexpr unsigned kThreads = 256;
  const auto blocks =
      static_cast<unsigned>(std::clamp<std::size_t>((count + kThreads - 1) / kThreads, 1, 1024));
  fill<<<blocks, kThreads, 0, stream>>>(data, count, version, cycles);
  FOXHUNT_CUDA_CHECK(cudaGetLastError());
}

}  // namespace foxhunt::test
