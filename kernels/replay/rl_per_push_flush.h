// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/replay/replay_rows.h"
#include "kernels/simt/dialect.h"

namespace foxhunt {

enum class PushFlushVariant { deterministic, unsynced_staging };

// Moves `count` staged transitions into the slots of the ring that their records name.
//
// The work runs on `flush_stream`, after what is on `stream` when this is called; what is queued on
// `stream` afterwards, such as the next push into the same staging buffer, waits for it.
//
// Determinism: gpu_to_gpu. No two records of a push have the same slot, so each row of the ring has
// one writer, and events order the two streams.
//
// staging       device, f32, [count, staging_width(shape)], from rl_per_push_ring; read only
// ring          device, `capacity` rows; those of the staged slots are overwritten
// flush_stream  another stream than `stream`
void rl_per_push_flush(const float* staging, int count, const ReplayShape& shape,
                       const ReplayRows& ring, cudaStream_t stream, cudaStream_t flush_stream,
                       PushFlushVariant variant = PushFlushVariant::deterministic);

}  // namespace foxhunt
