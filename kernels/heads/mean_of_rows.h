// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/simt/dialect.h"

namespace foxhunt {

// Writes the mean of rows[0..count) to mean[0]: the loss of a batch from a head's loss_rows. 0 for
// no rows. Device, f32. The work is queued on `stream`; the call returns without waiting for it.
//
// Determinism: gpu_to_gpu. One block; thread t of 64 adds rows t, t + 64, ... in order, and the 64
// sums meet in a tree of fixed shape.
void mean_of_rows(const float* rows, int count, float* mean, cudaStream_t stream);

}  // namespace foxhunt
