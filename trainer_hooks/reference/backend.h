// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "dump/capture/device_queue.h"

namespace foxhunt {

// What the builds of the reference trainer differ in: "simt" (the executor), "simt-instrumented"
// (with preemption at every access and weak memory), "cuda".
const char* backend_name();

// The order in which the executor runs what a GPU runs in none that is promised: a policy and all
// its choices are drawn from the seed. Streams start their work at odd moments under every seed.
// Call it before the trainer is made. No effect under CUDA.
void follow_schedule(std::uint64_t seed);
// "walk, weak, seed 17", or "the GPU's own".
std::string schedule_text();

// The device side of a dumper.
std::unique_ptr<DeviceQueue> make_backend_queue();

}  // namespace foxhunt
