// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/simt/dialect.h"

// Kernels with mistakes that must end in a diagnostic, not in a hang. Each returns the line at
// which the diagnostic is expected.

namespace foxhunt::simt_test {

int barrier_in_divergent_branch(cudaStream_t stream);
int different_barriers(cudaStream_t stream);
int barrier_after_exits(int* out, cudaStream_t stream);
int mask_names_exited_lane(cudaStream_t stream);
int lane_leaves_meeting(cudaStream_t stream);
int lane_not_in_mask(cudaStream_t stream);
int shuffle_outside_mask(unsigned* out, cudaStream_t stream);
int masks_that_never_meet(cudaStream_t stream);
int trap(cudaStream_t stream);
// `word` holds 0.
int spin_on_plain_load(const int* word, cudaStream_t stream);
int spin_on_volatile_load(const int* word, cudaStream_t stream);
int spin_on_atomic(int* word, cudaStream_t stream);
int spin_on_lock(int* word, cudaStream_t stream);
// One thread writes 0, and the other one waits for another value.
int spin_on_racing_load(int* word, cudaStream_t stream);

// One thread writes, and the other one reads the same word `times` times.
void races_many_times(int* word, int times, cudaStream_t stream);

}  // namespace foxhunt::simt_test
