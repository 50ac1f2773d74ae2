// SPDX-License-Identifier: MIT
#pragma once

// Inner to the variants named last_block_no_fence. Device code only.
#include "kernels/reduce/row_sums.h"

namespace foxhunt::reduce {

// Wrong on purpose: the partial sums are written, and the ticket is taken, with no __threadfence()
// between the two. The block that draws the last ticket may then add partial sums of other blocks
// that have not become visible: what the workspace held before.
//
// Block `chunk` of `chunks` sums its share of the rows; the last one to finish adds the shares.
// partial [chunks, cols]; ticket: one counter per tile, 0 before and after.
template <bool kAligned>
__device__ void sum_rows_last_block_no_fence(const float* matrix, int rows, int cols, int tile,
                                             int chunk, int chunks, float* partial,
                                             unsigned* ticket, float* out) {
  FOXHUNT_SHARED(unsigned, last);
  const int thread = static_cast<int>(threadIdx.x);
  const int share = (rows + chunks - 1) / chunks;
  const int first = chunk * share < rows ? chunk * share : rows;
  const int end = first + share < rows ? first + share : rows;
  const float sum = row_sum<kAligned>(matrix, first, end, cols, tile);
  const int column = tile * kRowSumColumns + thread;
  const bool mine = thread < kRowSumColumns && column < cols;
  if (mine) partial[chunk * cols + column] = sum;
  __syncthreads();
  if (thread == 0) {
    const auto limit = static_cast<unsigned>(chunks - 1);
    last = atomicInc(ticket, limit) == limit ? 1u : 0u;
  }
  __syncthreads();
  if (last == 0u || !mine) return;
  float total = 0.0f;
  for (int c = 0; c < chunks; ++c) total += partial[c * cols + column];
  out[column] = total;
}

}  // namespace foxhunt::reduce
