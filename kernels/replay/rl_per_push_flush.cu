// SPDX-License-Identifier: MIT
#include "kernels/replay/copy_row.h"
#include "kernels/replay/rl_per_push_flush.h"
#include "kernels/stream_order.h"

namespace foxhunt {
namespace {

using replay::kCopyThreads;

// Block i moves record i.
__global__ void __launch_bounds__(kCopyThreads)
    push_flush(const float* staging, ReplayShape shape, int width, ReplayRows ring) {
  const float* record = staging + replay::row_offset(static_cast<int>(blockIdx.x), width);
  const int slot = static_cast<int>(record[0]);
  if (threadIdx.x == 0) {
    ring.actions[slot] = static_cast<int>(record[1]);
    ring.rewards[slot] = record[2];
    ring.dones[slot] = record[3];
    ring.log_pi_old[slot] = record[4];
  }
  const float* from = record + kStagingHeader;
  replay::copy_row(from, shape.hidden, ring.h_t + replay::row_offset(slot, shape.hidden));
  from += shape.hidden;
  replay::copy_row(from, shape.hidden, ring.h_tp1 + replay::row_offset(slot, shape.hidden));
  from += shape.hidden;
  replay::copy_row(from, shape.window, ring.window + replay::row_offset(slot, shape.window));
}

}  // namespace

void rl_per_push_flush(const float* staging, int count, const ReplayShape& shape,
                       const ReplayRows& ring, cudaStream_t stream, cudaStream_t flush_stream,
                       PushFlushVariant variant) {
  if (count == 0) return;
  wait_for(flush_stream, stream);
  launch(push_flush, dim3(static_cast<unsigned>(count)), dim3(kCopyThreads), 0, flush_stream,
         staging, shape, staging_width(shape), ring);
  // Wrong on purpose in unsynced_staging: nothing waits for the flush, so the next push may write
  // into the staging buffer that it still reads.
  if (variant != PushFlushVariant::unsynced_staging) wait_for(stream, flush_stream);
}

}  // namespace foxhunt
