// SPDX-License-Identifier: MIT
#pragma once

#include "compare/runs/comparison.h"
#include "dump/format/profile.h"

// The words that both reports use for the comparison's enumerations.
namespace foxhunt::words {

inline const char* kind(MakerKind kind) noexcept {
  switch (kind) {
    case MakerKind::kernel:
      return "kernel";
    case MakerKind::copy:
      return "copy";
    case MakerKind::view:
      return "view";
    case MakerKind::host:
      break;
  }
  return "host";
}

inline const char* determinism(Determinism determinism) noexcept {
  switch (determinism) {
    case Determinism::unknown:
      break;
    case Determinism::not_guaranteed:
      return "not_guaranteed";
    case Determinism::run_to_run:
      return "run_to_run";
    case Determinism::gpu_to_gpu:
      return "gpu_to_gpu";
  }
  return "unknown";
}

inline const char* cell(Cell cell) noexcept {
  switch (cell) {
    case Cell::not_dumped:
      return "not_dumped";
    case Cell::equal:
      return "equal";
    case Cell::diverged:
      return "diverged";
    case Cell::trouble:
      break;
  }
  return "trouble";
}

}  // namespace foxhunt::words
