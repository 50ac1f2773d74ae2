// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "dump/capture/armed_state.h"
#include "dump/capture/arming.h"
#include "dump/capture/device_capture.h"
#include "dump/capture/dumper.h"
#include "dump/capture/run_writer.h"
#include "dump/capture/step_plan.h"
#include "dump/format/error.h"

namespace foxhunt {

// Any exception as an Error.
Error as_error(std::exception_ptr exception);

// An armed dumper. Its states, each reached once:
//
//   recording   from the start; the run directory is open
//   ended       by close(), by the last step asked for (run complete), by a limit (run cut), or by
//               trouble (run stays open): every call returns at once
//
// No call but open() throws. In a forked child every call returns at once, and nothing is ever
// destroyed: locks and threads are the parent's.
class Dumper::Core {
 public:
  // Claims the run directory and says so. Throws Error, having changed nothing but directories.
  static std::shared_ptr<Core> open(const Arming& arming, Profile profile,
                                    const DumperOptions& options);

  Core(const Arming& arming, const Profile& profile, const DumperOptions& options,
       std::unique_ptr<DeviceQueue> device);
  ~Core();

  const std::filesystem::path& directory() const noexcept { return writer_.directory().path(); }
  std::optional<Error> trouble() const;
  // Whether more exceptions are under way on this thread than when the dumper was opened.
  bool is_unwinding() const noexcept { return std::uncaught_exceptions() > unwinding_; }

  // False: the step is not wanted, and no end_step() follows.
  bool begin_step(std::uint64_t number) noexcept;
  bool starts_window() noexcept;
  void next_update() noexcept;
  // Commits the step, or drops it, and with it the dumper, when an exception left it.
  void end_step(bool left_by_exception) noexcept;

  // The two forms of a note: `Note` is what StepPlan::admit takes.
  template <class... Note>
  void note_host(const void* data, const Note&... note) noexcept;
  template <class... Note>
  void note_device(const void* data, DeviceQueue::Stream stream, const Note&... note) noexcept;

  // The run becomes complete, if nothing went wrong; `left_by_exception`: it stays open.
  void close(bool left_by_exception) noexcept;

 private:
  bool recording() const noexcept {
    return !ended_.load(std::memory_order_acquire) && generation_ == fork_generation();
  }

  template <class Action>
  void guarded(const Action& action) noexcept;
  bool reserve(std::uint64_t bytes, std::string_view what);
  Capture* keep(Capture capture, const void* data);
  void commit(const OpenStep& step);
  void after_captures(std::function<void()> job);
  void warn_if_it_will_not_fit(const OpenStep& step);
  void end_with_limit(const std::string& reason);
  bool end() noexcept;
  void end_with_trouble(std::exception_ptr exception) noexcept;
  void say(std::string_view text) const noexcept;

  const std::uint64_t generation_;
  const int unwinding_;
  const std::function<void(std::string_view)> message_;
  const StepSet steps_;
  const std::uint64_t max_bytes_;
  std::atomic<bool> ended_{false};

  mutable std::mutex trouble_mutex_;  // never held with a call to elsewhere
  std::optional<Error> trouble_;

  // Guards what follows up to the writer. Never taken on the device side's writer thread, because
  // a capture waits for that thread while it holds this.
  std::mutex mutex_;
  StepPlan plan_;
  std::shared_ptr<OpenStep> step_;
  std::uint64_t bytes_ = 0;       // in the run directory at most, everything counted
  std::uint64_t step_begin_ = 0;  // bytes_ when the step began
  std::uint64_t steps_recorded_ = 0;

  RunWriter writer_;
  std::unique_ptr<DeviceCapture> device_;  // last: its thread uses the rest
};

template <class Action>
void Dumper::Core::guarded(const Action& action) noexcept {
  if (!recording()) return;
  try {
    const std::lock_guard lock(mutex_);
    if (recording()) action();
  } catch (...) {
    end_with_trouble(std::current_exception());
  }
}

template <class... Note>
void Dumper::Core::note_host(const void* data, const Note&... note) noexcept {
  guarded([&] {
    if (!step_) return;
    auto admitted = plan_.admit(note...);
    if (!admitted) return;
    Capture* const capture = keep(std::move(*admitted), data);
    if (capture != nullptr) writer_.write_host(step_->number, *capture, data);
  });
}

template <class... Note>
void Dumper::Core::note_device(const void* data, DeviceQueue::Stream stream,
                               const Note&... note) noexcept {
  guarded([&] {
    if (!step_) return;
    auto admitted = plan_.admit(note...);
    if (!admitted) return;
    if (!device_) {
      throw Error(Errc::device,
                  "{} is noted as device memory, but the dumper was opened for host memory only; "
                  "open it with a device (DumperOptions::device, foxhunt_options_use_cuda)",
                  admitted->name);
    }
    Capture* const capture = keep(std::move(*admitted), data);
    if (capture == nullptr) return;
    device_->capture(stream, data, capture->bytes, writer_.sink_for(step_, *capture));
  });
}

}  // namespace foxhunt
