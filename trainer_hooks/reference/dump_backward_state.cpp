// SPDX-License-Identifier: MIT
// All that the trainer does for the dumper: a buffer is noted right after the launch that made it,
// on the stream where it is ready, before anything else can write to it.
#include "trainer_hooks/reference/integrated_trainer.h"

namespace foxhunt {

void IntegratedTrainer::dump_backward_state_for_debug(const TrainerLaunch& launch) {
  if (!scope_.wanted()) return;
  for (const int output : profile_.launches[static_cast<std::size_t>(launch.index)].outputs) {
    const std::string& name = profile_.buffers[static_cast<std::size_t>(output)].name;
    const TrainerBuffers::Place& place = b_.place(output);
    if (place.on_host) {
      scope_.note_host(name, place.data, place.bytes);
    } else {
      scope_.note_device(name, place.data, place.bytes, launch.stream);
    }
  }
}

void IntegratedTrainer::dump_carried_in_state() {
  if (!scope_.starts_window()) return;
  for (std::size_t b = 0; b < profile_.buffers.size(); ++b) {
    const ProfileBuffer& buffer = profile_.buffers[b];
    if (buffer.carries.empty()) continue;
    const TrainerBuffers::Place& place = b_.place(static_cast<int>(b));
    if (place.on_host) {
      scope_.note_host(buffer.name, place.data, place.bytes);
    } else {
      scope_.note_device(buffer.name, place.data, place.bytes, stream_);
    }
  }
}

}  // namespace foxhunt
