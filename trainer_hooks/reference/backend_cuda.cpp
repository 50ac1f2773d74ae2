// SPDX-License-Identifier: MIT
#include "dump/capture/cuda_device_queue.h"
#include "trainer_hooks/reference/backend.h"

namespace foxhunt {

const char* backend_name() { return FOXHUNT_BACKEND; }

void follow_schedule(std::uint64_t) {}

std::string schedule_text() { return "the GPU's own"; }

std::unique_ptr<DeviceQueue> make_backend_queue() { return make_cuda_device_queue(); }

}  // namespace foxhunt
