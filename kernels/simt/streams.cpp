// SPDX-License-Identifier: MIT
#include "kernels/simt/streams.h"

#include <algorithm>
#include <bit>
#include <deque>

#include "dump/format/error.h"
#include "kernels/simt/decisions.h"
#include "kernels/simt/events.h"
#include "kernels/simt/launch_observer.h"
#include "kernels/simt/random.h"

namespace foxhunt::simt {

// One thing for the device to do.
struct Operation {
  std::unique_ptr<Grid> grid;  // a kernel or a copy; or null, and an event's state:
  std::shared_ptr<EventState> event;
  std::uint64_t version = 0;   // of the event
  bool records = false;        // it, or waits for it
  bool noticed = true;         // by the draws of the schedule
  std::uint64_t sequence = 0;  // of all operations
};

struct Stream {
  std::deque<Operation> queue;
  bool blocking = true;  // waits for the legacy default stream, and it for this one
  bool destroyed = false;
};

namespace {

constexpr std::size_t kSideBySide = 32;

struct Device {
  Stream legacy;
  std::vector<std::unique_ptr<Stream>> streams;
  std::uint64_t sequence = 0;
  Random random{0};
  cudaError_t last_error = cudaSuccess;
};

Device& device() {
  static Device one;
  return one;
}

Stream* or_legacy(Stream* stream) { return stream == nullptr ? &device().legacy : stream; }

// Whether an operation that `other` got earlier than `sequence` is still to be done.
bool waits_for(const Stream& other, std::uint64_t sequence) {
  return !other.queue.empty() && other.queue.front().sequence < sequence;
}

bool ready(const Stream& stream) {
  if (stream.queue.empty()) return false;
  const Operation& head = stream.queue.front();
  if (head.event != nullptr && !head.records && head.event->completed < head.version) return false;
  const Device& d = device();
  if (&stream != &d.legacy) return !stream.blocking || !waits_for(d.legacy, head.sequence);
  return std::none_of(d.streams.begin(), d.streams.end(), [&](const auto& other) {
    return other->blocking && waits_for(*other, head.sequence);
  });
}

enum class Did { nothing, unnoticed, something };

// Passes the events at the heads of streams: they take no time.
Did pass_events() {
  Did did = Did::nothing;
  bool again = true;
  const auto pass = [&](Stream& stream) {
    while (ready(stream) && stream.queue.front().event != nullptr) {
      const Operation operation = std::move(stream.queue.front());
      stream.queue.pop_front();
      if (operation.records) operation.event->complete(operation.version);
      did = std::max(did, operation.noticed ? Did::something : Did::unnoticed);
      again = true;
    }
  };
  Device& d = device();
  while (again) {
    again = false;
    pass(d.legacy);
    for (const auto& stream : d.streams) pass(*stream);
  }
  return did;
}

void forget_destroyed_streams() {
  std::erase_if(device().streams,
                [](const auto& stream) { return stream->destroyed && stream->queue.empty(); });
}

// Which of `count` ready heads run now, oldest first: a bit each.
std::uint64_t choose_heads(std::uint32_t count) {
  std::uint64_t chosen = 1;
  const Schedule& schedule = current_schedule();
  if (schedule.policy == Policy::reverse) {
    chosen = std::uint64_t{1} << (count - 1);
  } else if (schedule.policy != Policy::in_order && count > 1) {
    Random& random = device().random;
    chosen = std::uint64_t{1} << random.below(count);
    if (random.chance(0.5)) {  // several side by side, mostly all of them
      for (std::uint32_t i = 0; i < count; ++i) {
        if (random.chance(0.8)) chosen |= std::uint64_t{1} << i;
      }
    }
  }
  // Told with the oldest one's bit flipped, so that 0 is in order.
  chosen = decide(DecisionKind::start, chosen ^ 1) ^ 1;
  chosen &= (std::uint64_t{1} << count) - 1;
  return chosen == 0 ? 1 : chosen;
}

Did step() {
  Device& d = device();
  const Did passed = pass_events();
  std::vector<Stream*> heads;
  if (ready(d.legacy)) heads.push_back(&d.legacy);
  for (const auto& stream : d.streams) {
    if (ready(*stream)) heads.push_back(stream.get());
  }
  if (heads.empty()) {
    forget_destroyed_streams();
    return passed;
  }
  std::sort(heads.begin(), heads.end(), [](const Stream* a, const Stream* b) {
    return a->queue.front().sequence < b->queue.front().sequence;
  });
  if (heads.size() > kSideBySide) heads.resize(kSideBySide);
  std::vector<Stream*> running;
  std::vector<Grid*> grids;
  for (std::uint64_t left = choose_heads(static_cast<std::uint32_t>(heads.size())); left != 0;
       left &= left - 1) {
    running.push_back(heads[static_cast<std::size_t>(std::countr_zero(left))]);
    grids.push_back(running.back()->queue.front().grid.get());
  }
  note_launch(grids);
  if (!engine().run(grids)) d.last_error = engine().error;
  note_launch_done();
  for (Stream* const stream : running) stream->queue.pop_front();
  pass_events();
  forget_destroyed_streams();
  return Did::something;
}

void push(Stream* stream, Operation operation) {
  Device& d = device();
  const bool noticed = operation.noticed;
  operation.sequence = ++d.sequence;
  or_legacy(stream)->queue.push_back(std::move(operation));
  if (!noticed) return;
  const double eager = current_schedule().eager;
  while (decide(DecisionKind::start, d.random.chance(eager) ? 1 : 0) != 0 &&
         step() == Did::something) {
  }
}

}  // namespace

bool step_device() { return step() != Did::nothing; }

void enqueue(Stream* stream, std::unique_ptr<Grid> grid) {
  push(stream, {std::move(grid), nullptr, 0, false});
}

void run_stream(Stream* stream) {
  const Stream* const waited = or_legacy(stream);
  while (!waited->queue.empty()) FOXHUNT_ASSERT(step_device());
}

void run_all_streams() {
  while (step_device()) {
  }
}

bool check_stream(Stream* stream, const char* call) {
  if (stream == nullptr) return true;
  const auto& streams = device().streams;
  const bool known = std::any_of(streams.begin(), streams.end(), [&](const auto& other) {
    return other.get() == stream && !other->destroyed;
  });
  if (!known) {
    refuse(DiagnosticKind::stream_misuse, cudaErrorInvalidResourceHandle,
           fmt::format("{} with a stream that does not exist, or no more", call));
  }
  return known;
}

void set_last_error(cudaError_t error) { device().last_error = error; }

cudaError_t refuse(DiagnosticKind kind, cudaError_t error, std::string text) {
  report({kind, true, "", "", 0, std::move(text)});
  set_last_error(error);
  return error;
}

void restart_streams() { device().random = Random(mix(current_schedule().seed, 3)); }

void record_event(const std::shared_ptr<EventState>& event, Stream* stream) {
  push(stream, {nullptr, event, ++event->recorded, true});
}

void record_event_unnoticed(const std::shared_ptr<EventState>& event, Stream* stream) {
  push(stream, {nullptr, event, ++event->recorded, true, false});
}

void wait_for_event(const std::shared_ptr<EventState>& event, Stream* stream) {
  push(stream, {nullptr, event, event->recorded, false});
}

void run_until(const EventState& event, std::uint64_t version) {
  while (event.completed < version) FOXHUNT_ASSERT(step_device());
}

void enqueue_kernel(std::unique_ptr<Invocation> kernel, dim3 grid, dim3 block,
                    std::size_t shared_bytes, cudaStream_t stream) {
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  if (threads == 0 || threads > kMaxBlockThreads || block.z > 64 || grid.x == 0 || grid.y == 0 ||
      grid.z == 0 || grid.x > 0x7fffffffu || grid.y > 65535 || grid.z > 65535) {
    set_last_error(cudaErrorInvalidConfiguration);
    return;
  }
  if (!check_stream(stream, "a launch")) return;
  auto work = std::make_unique<Grid>();
  work->grid = grid;
  work->block = block;
  work->shared_bytes = shared_bytes;
  work->kernel = std::move(kernel);
  enqueue(stream, std::move(work));
}

}  // namespace foxhunt::simt

using foxhunt::simt::device;
using foxhunt::simt::Stream;

cudaError_t cudaGetLastError() { return std::exchange(device().last_error, cudaSuccess); }
cudaError_t cudaPeekAtLastError() { return device().last_error; }

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  device().streams.push_back(std::make_unique<Stream>());
  *stream = device().streams.back().get();
  (*stream)->blocking = (flags & cudaStreamNonBlocking) == 0;
  return cudaSuccess;
}

// As in CUDA the call returns at once; the stream goes when its work is done.
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (stream == nullptr || !foxhunt::simt::check_stream(stream, "cudaStreamDestroy")) {
    return cudaErrorInvalidResourceHandle;
  }
  stream->destroyed = true;
  std::erase_if(device().streams,
                [](const auto& other) { return other->destroyed && other->queue.empty(); });
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (!foxhunt::simt::check_stream(stream, "cudaStreamSynchronize")) {
    return cudaErrorInvalidResourceHandle;
  }
  foxhunt::simt::run_stream(stream);
  return cudaPeekAtLastError();
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  if (!foxhunt::simt::check_stream(stream, "cudaStreamQuery")) {
    return cudaErrorInvalidResourceHandle;
  }
  // Who asks again and again must see the work done one day.
  foxhunt::simt::step_device();
  const bool done = foxhunt::simt::or_legacy(stream)->queue.empty();
  return done ? cudaPeekAtLastError() : cudaErrorNotReady;
}

cudaError_t cudaDeviceSynchronize() {
  foxhunt::simt::run_all_streams();
  return cudaPeekAtLastError();
}
