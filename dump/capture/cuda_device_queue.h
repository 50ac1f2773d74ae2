// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "dump/capture/device_queue.h"

namespace foxhunt {

// The CUDA runtime as a DeviceQueue; a Stream is a cudaStream_t. Throws Error device if this
// machine has no device to use.
//
// A call belongs to the calling thread's current device, whose side stream and memory pool are made
// at its first snapshot; until then no context is made and no device memory is used. No call
// changes the current device, except wait(), which leaves the event's device current on the thread
// that waits. Calls do not disturb a graph capture that goes on elsewhere in the process.
//
// Snapshots come from a memory pool of their own, which keeps what it has got: never more than was
// in flight at one time, rounded up. Devices without memory pools get a cache over cudaMalloc.
//
// provenance(), of the current device: "gpu" (its name), "gpu_uuid", "gpu_multiprocessors",
// "compute_capability" ("9.0"), "driver" ("580.65.06, CUDA 13.0"), "cuda" (the runtime, "13.0").
std::unique_ptr<DeviceQueue> make_cuda_device_queue();

}  // namespace foxhunt
