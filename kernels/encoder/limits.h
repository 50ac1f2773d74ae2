// SPDX-License-Identifier: MIT
#pragma once

namespace foxhunt {

// For launchers, whose kernels keep rows in shared memory: throws Error (bad_argument) unless
// 1 <= value <= limit, as in "attention_pool_fwd: window is 5000, but must be from 1 to 4096".
void require_at_most(const char* op, const char* what, int value, int limit);

// The same unless `value` is a multiple of `of`, which is positive.
void require_multiple(const char* op, const char* what, int value, int of);

// The same of a sum of bytes: "mamba2_block_bwd: heads of 64 by a window of 64 need 53248 bytes of
// shared memory, but a block has 49152".
void require_shared_memory(const char* op, const char* of_what, int bytes);

}  // namespace foxhunt
