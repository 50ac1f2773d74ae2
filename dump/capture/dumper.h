// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "dump/capture/armed.h"
#include "dump/capture/device_queue.h"
#include "dump/format/dtype.h"
#include "dump/format/error.h"
#include "dump/format/profile.h"
#include "dump/format/shape.h"

namespace foxhunt {

struct DumperOptions {
  // Added to what the dumper finds out by itself (argv, git commit, environment, device); keys as
  // in Manifest::provenance. Give what only the trainer knows: "backend", "cublas_math_mode", ….
  std::map<std::string, std::string> provenance;
  // Makes the device side, when the dumper is armed. Empty: host buffers only.
  std::function<std::unique_ptr<DeviceQueue>()> device;
  std::size_t staging_bytes = std::size_t{256} << 20;  // pinned memory for device buffers
  // Where messages go; each begins with "foxhunt: ". Called on any thread; must not call the
  // dumper. Empty: stderr.
  std::function<void(std::string_view)> message;
};

// A buffer that the profile does not declare, or whose shape is not the declared one this time.
struct BufferDesc {
  std::string_view name;
  char group = 'a';
  DType dtype = DType::f32;
  Shape shape;
};

class StepScope;

// Records the intermediate buffers of chosen steps into a run directory, when
// FOXHUNT_DETERMINISM_DEBUG_BACKWARD=1 arms it (DESIGN: "Arming it"; the variables are listed in
// dump/FORMAT.md). A training loop keeps one:
//
//   Dumper dumper = Dumper::from_environment(make_profile);
//   for (std::uint64_t n = 0; n < steps; ++n) {
//     StepScope step = dumper.step(n);
//     …
//     FOXHUNT_HOOK(step.note_device("v_pred", v_pred, bytes, stream));   // after its producer
//     …
//   }                                                                    // the scope commits
//   dumper.close();
//
// Nothing here ever throws or ends the run: trouble is reported once, the dumper turns itself off,
// and the run stays marked incomplete. A forked child is disarmed. Calls may come from several
// threads; one step is open at a time.
//
// The run directory's states are those of dump/FORMAT.md. It becomes `complete` when the last step
// that can be asked for has been committed, or at close().
class Dumper {
 public:
  // Disarmed: does nothing, for good.
  Dumper() noexcept;
  // `profile` is called only when armed. `trouble`, if given, receives what kept a dumper that is
  // asked for from opening; it has been reported too.
  static Dumper from_environment(const std::function<Profile()>& profile,
                                 DumperOptions options = {},
                                 std::optional<Error>* trouble = nullptr) noexcept;
  Dumper(Dumper&&) noexcept;
  Dumper& operator=(Dumper&&) noexcept;
  // As close(), unless an exception is unwinding the stack: then the run stays open.
  ~Dumper();

  bool armed() const noexcept { return core_ != nullptr; }
  // Empty when disarmed.
  std::filesystem::path directory() const;

  // Opens step `number`; larger than any before. The scope does nothing if the step was not asked
  // for.
  [[nodiscard]] StepScope step(std::uint64_t number) noexcept;

  // Waits for what is being written and marks the run complete, unless a step is still open: that
  // is trouble.
  void close() noexcept;

  // What turned the dumper off, if trouble did; a limit that was reached is none.
  std::optional<Error> trouble() const;

 private:
  friend class StepScope;
  class Core;
  std::shared_ptr<Core> core_;
};

// One step being recorded. Its end commits the step, unless an exception unwinds through it.
class StepScope {
 public:
  StepScope() noexcept;
  StepScope(StepScope&&) noexcept;
  StepScope& operator=(StepScope&&) noexcept;
  ~StepScope();

  // Whether notes of this step are kept at all.
  bool wanted() const noexcept { return core_ != nullptr; }
  // Whether a window starts here: carried-in state (`params_in`) is kept in this step only.
  bool starts_window() const noexcept;

  // Later notes belong to the next update of the K-loop (occurrence + 1).
  void next_update() noexcept;

  // The buffer as it stands now. `bytes` must be what the declared shape needs; an outermost extent
  // that the profile left as an unbound symbol is taken from `bytes`. The memory is not needed any
  // more when the call returns. Carried-in captures are kept as digests unless their group was
  // asked for by name.
  void note_host(std::string_view name, const void* data, std::uint64_t bytes) noexcept;
  void note_host(const BufferDesc& desc, const void* data) noexcept;

  // The buffer as it stands after all work that is queued on `stream` now. The memory may be reused
  // by later work on that stream.
  void note_device(std::string_view name, const void* data, std::uint64_t bytes,
                   DeviceQueue::Stream stream) noexcept;
  void note_device(const BufferDesc& desc, const void* data, DeviceQueue::Stream stream) noexcept;

  // Commits now; later notes are ignored.
  void close() noexcept;
  // Ends the step as an exception does: it is not kept, and the run stays open.
  void abandon() noexcept;

 private:
  friend class Dumper;
  explicit StepScope(std::shared_ptr<Dumper::Core> core) noexcept;
  std::shared_ptr<Dumper::Core> core_;
  int unwinding_ = 0;  // std::uncaught_exceptions() at the start
};

}  // namespace foxhunt
