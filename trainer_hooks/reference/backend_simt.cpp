// SPDX-License-Identifier: MIT
#include "kernels/simt/schedule.h"
#include "trainer_hooks/reference/backend.h"
#include "trainer_hooks/reference/simt_device_queue.h"

namespace foxhunt {

const char* backend_name() { return FOXHUNT_BACKEND; }

void follow_schedule(std::uint64_t seed) {
  // Of the policies that disturb every launch: permute, walk and swarm, in turn.
  simt::Schedule schedule = simt::schedule_for(2 + seed % 3, seed);
  schedule.eager = 0.2 * static_cast<double>(1 + seed / 3 % 4);
  simt::set_schedule(schedule);
}

std::string schedule_text() { return simt::describe(simt::current_schedule()); }

std::unique_ptr<DeviceQueue> make_backend_queue() { return make_simt_device_queue(); }

}  // namespace foxhunt
