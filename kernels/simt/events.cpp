// SPDX-License-Identifier: MIT
#include "kernels/simt/events.h"

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/simt/streams.h"

namespace foxhunt::simt {

struct Event {
  std::shared_ptr<EventState> state = std::make_shared<EventState>();
};

namespace {

std::vector<std::unique_ptr<Event>>& events() {
  static std::vector<std::unique_ptr<Event>> all;
  return all;
}

bool check_event(const Event* event, const char* call) {
  const bool known = std::any_of(events().begin(), events().end(),
                                 [&](const auto& other) { return other.get() == event; });
  if (!known) {
    refuse(DiagnosticKind::stream_misuse, cudaErrorInvalidResourceHandle,
           std::string(call) + " with an event that does not exist, or no more");
  }
  return known;
}

}  // namespace
}  // namespace foxhunt::simt

using foxhunt::simt::check_event;
using foxhunt::simt::check_stream;
using foxhunt::simt::Event;
using foxhunt::simt::events;
using foxhunt::simt::EventState;

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  events().push_back(std::make_unique<Event>());
  *event = events().back().get();
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (!check_event(event, "cudaEventDestroy")) return cudaErrorInvalidResourceHandle;
  std::erase_if(events(), [&](const auto& other) { return other.get() == event; });
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (!check_event(event, "cudaEventRecord") || !check_stream(stream, "cudaEventRecord")) {
    return cudaErrorInvalidResourceHandle;
  }
  record_event(event->state, stream);
  return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  if (!check_event(event, "cudaStreamWaitEvent") || !check_stream(stream, "cudaStreamWaitEvent")) {
    return cudaErrorInvalidResourceHandle;
  }
  if (event->state->recorded == 0) {  // allowed, and a wait for nothing
    foxhunt::simt::report({foxhunt::simt::DiagnosticKind::stream_misuse, false, "", "", 0,
                           "cudaStreamWaitEvent for an event that was not recorded before: it "
                           "waits for nothing"});
    return cudaSuccess;
  }
  wait_for_event(event->state, stream);
  return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (!check_event(event, "cudaEventSynchronize")) return cudaErrorInvalidResourceHandle;
  const std::shared_ptr<EventState> state = event->state;
  foxhunt::simt::run_until(*state, state->recorded);
  return cudaPeekAtLastError();
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (!check_event(event, "cudaEventQuery")) return cudaErrorInvalidResourceHandle;
  if (event->state->completed < event->state->recorded) foxhunt::simt::step_device();
  return event->state->completed < event->state->recorded ? cudaErrorNotReady
                                                          : cudaPeekAtLastError();
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (!check_event(start, "cudaEventElapsedTime") || !check_event(end, "cudaEventElapsedTime")) {
    return cudaErrorInvalidResourceHandle;
  }
  const EventState &a = *start->state, &b = *end->state;
  if (a.recorded == 0 || b.recorded == 0) return cudaErrorInvalidResourceHandle;
  if (a.completed < a.recorded || b.completed < b.recorded) return cudaErrorNotReady;
  *milliseconds = std::chrono::duration<float, std::milli>(b.time - a.time).count();
  return cudaSuccess;
}
