// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "kernels/simt/stream_types.h"

namespace foxhunt::simt {

// What an event's handle stands for. Queued work keeps it when the handle is destroyed.
//
// Each record has a version; a wait is for the last one recorded before the wait was queued.
struct EventState {
  std::uint64_t recorded = 0;
  std::uint64_t completed = 0;
  std::chrono::steady_clock::time_point time;

  void complete(std::uint64_t version) {
    if (version <= completed) return;
    completed = version;
    time = std::chrono::steady_clock::now();
  }
};

void record_event(const std::shared_ptr<EventState>& event, Stream* stream);
// The same for one who only watches: no draw of the schedule whether work starts early here, so all
// that others queue runs as it would have.
void record_event_unnoticed(const std::shared_ptr<EventState>& event, Stream* stream);
void wait_for_event(const std::shared_ptr<EventState>& event, Stream* stream);
void run_until(const EventState& event, std::uint64_t version);

}  // namespace foxhunt::simt
