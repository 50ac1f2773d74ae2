// SPDX-License-Identifier: MIT
// In a program built for the executor CUDA's names are the executor's, this one too: so a trainer
// that was written for CUDA dumps there as it stands.
#include "dump/capture/cuda_device_queue.h"
#include "trainer_hooks/reference/simt_device_queue.h"

namespace foxhunt {

std::unique_ptr<DeviceQueue> make_cuda_device_queue() { return make_simt_device_queue(); }

}  // namespace foxhunt
