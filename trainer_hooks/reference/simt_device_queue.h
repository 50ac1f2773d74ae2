// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>

#include "dump/capture/device_queue.h"

namespace foxhunt {

// The CPU executor as a DeviceQueue; a Stream is a cudaStream_t of the executor's.
//
// A snapshot is taken at the very moment at which its stream gets past what was queued there
// before, whatever the schedule: later than the call, and before anything that is queued later. It
// is no launch: it takes no turn, no draw of the schedule and none of the device's memory, and
// reads between launches, when weak stores have arrived. So kernels compute what they compute
// without it, the ones with a defect too, and those on several streams that nothing orders.
//
// The executor runs on the thread that calls it, so there is nobody else to get a stream past a
// point. All calls but wait(), release() and release_pinned() belong on that thread. wait() never
// runs the executor: it returns once that thread has synchronised, or has called settle(), as the
// dumper does before it waits for its writer. A trainer has nothing to do.
//
// Memory from allocate() is for one snapshot and one copy of it. allocate() and allocate_pinned()
// return nullptr rather than hold more than `memory_bytes` of either kind. provenance(): "gpu" says
// that there is none, "schedule" and "schedule_seed" what is in force at the call.
//
// Throws Error device: for a stream that does not exist, and for bytes that are not all inside one
// allocation of the device's.
std::unique_ptr<DeviceQueue> make_simt_device_queue(std::size_t memory_bytes = std::size_t{1}
                                                                               << 30);

}  // namespace foxhunt
