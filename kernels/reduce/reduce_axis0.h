// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "kernels/simt/dialect.h"

namespace foxhunt {

enum class ReduceAxis0Variant { deterministic, float_atomics, last_block_no_fence };

// Sums scratch[rows, cols] over rows into grad[cols], overwriting it.
//
// Determinism: gpu_to_gpu. One block owns a tile of columns and adds its rows in an order that
// depends on nothing but their numbers, by a fixed tree (row_sums.h); no schedule, number of blocks
// or GPU model changes it, nor does the alignment of the pointers.
//
// scratch    device, f32, row-major [rows, cols]; read only
// grad       device, f32 [cols]
// workspace  device, reduce_axis0_workspace() bytes; for the variants only, contents don't matter
// stream     the work is queued here; the call returns without waiting for it
void reduce_axis0(const float* scratch, int rows, int cols, float* grad, void* workspace,
                  cudaStream_t stream,
                  ReduceAxis0Variant variant = ReduceAxis0Variant::deterministic);

// In bytes; 0 for `deterministic`, which takes a null workspace.
std::size_t reduce_axis0_workspace(int cols, ReduceAxis0Variant variant);

}  // namespace foxhunt
