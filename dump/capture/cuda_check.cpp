// SPDX-License-Identifier: MIT
#include "dump/capture/cuda_check.h"

#include <filesystem>

#include "dump/format/error.h"

namespace foxhunt {

void cuda_check_failed(cudaError_t error, const char* call, const char* file, int line) {
  static_cast<void>(cudaGetLastError());
  throw Error(Errc::device, "{}:{}: {} failed: {} ({})",
              std::filesystem::path(file).filename().string(), line, call, cudaGetErrorName(error),
              cudaGetErrorString(error));
}

}  // namespace foxhunt
