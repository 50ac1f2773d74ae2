// SPDX-License-Identifier: MIT
#include "dump/capture/dumper_core.h"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <utility>

#include "dump/capture/armed_state.h"
#include "dump/capture/clock.h"
#include "dump/capture/message.h"
#include "dump/capture/provenance.h"

namespace foxhunt {
namespace {

// Steps without an end never fit; room for this many is no reason for a warning.
constexpr std::uint64_t kManySteps = 1000;
constexpr std::uint64_t kMarkerBytes = 4096;  // room kept for the end marker

std::string new_run_id() {
  std::uint64_t words[2];
  if (getrandom(words, sizeof words, 0) != sizeof words) {
    throw Error(Errc::io, "the system gave no random bytes for a run id");
  }
  return fmt::format("{:016x}{:016x}", words[0], words[1]);
}

Manifest make_manifest(const Arming& arming, const Profile& profile, const DumperOptions& options,
                       DeviceQueue* device) {
  Manifest manifest;
  manifest.run_id = new_run_id();
  manifest.started_at = utc_time();
  manifest.mode = arming.mode;
  manifest.steps = arming.steps.to_string();
  manifest.groups = arming.groups;
  manifest.include = arming.include;
  manifest.exclude = arming.exclude;
  manifest.max_bytes = arming.max_bytes;
  manifest.rank = arming.rank.rank;
  manifest.world_size = arming.rank.world_size;
  manifest.provenance = options.provenance;
  if (device != nullptr) manifest.provenance.merge(device->provenance());
  manifest.provenance.merge(find_provenance(environ));
  manifest.profile = profile;
  return manifest;
}

std::string amount(std::uint64_t bytes) {
  if (bytes < 1'000'000) return fmt::format("{} bytes", bytes);
  if (bytes < 1'000'000'000) return fmt::format("{:.1f} MB", static_cast<double>(bytes) * 1e-6);
  return fmt::format("{:.1f} GB", static_cast<double>(bytes) * 1e-9);
}

}  // namespace

Error as_error(std::exception_ptr exception) {
  try {
    std::rethrow_exception(std::move(exception));
  } catch (const Error& e) {
    return e;
  } catch (const std::bad_alloc&) {
    return Error(Errc::limit, "there was no memory left to dump with");
  } catch (const std::exception& e) {
    return Error(Errc::io, "{}", e.what());
  } catch (...) {
    return Error(Errc::io, "an unknown exception was thrown");
  }
}

std::shared_ptr<Dumper::Core> Dumper::Core::open(const Arming& arming, Profile profile,
                                                 const DumperOptions& options) {
  profile.validate();
  auto device = options.device ? options.device() : nullptr;
  auto core = std::make_unique<Core>(arming, profile, options, std::move(device));
  core->say(fmt::format("dumping steps {} ({}) to {}", core->steps_.to_string(),
                        arming.mode == DumpMode::full ? "full" : "digest",
                        core->directory().string()));
  return {core.release(), [](Core* dying) {
            if (dying->generation_ == fork_generation()) delete dying;
          }};
}

Dumper::Core::Core(const Arming& arming, const Profile& profile, const DumperOptions& options,
                   std::unique_ptr<DeviceQueue> device)
    : generation_(fork_generation()),
      unwinding_(std::uncaught_exceptions()),
      message_(options.message),
      steps_(arming.steps),
      max_bytes_(arming.max_bytes),
      plan_(arming, profile),
      writer_(arming.directory, make_manifest(arming, profile, options, device.get())) {
  bytes_ = writer_.directory().manifest_bytes() + kMarkerBytes;
  if (device) {
    DeviceCapture::Options staging;
    staging.staging_bytes = options.staging_bytes;
    device_ = std::make_unique<DeviceCapture>(
        std::move(device), staging,
        [this](std::exception_ptr error) { end_with_trouble(std::move(error)); });
  }
  add_recording_dumper();
}

Dumper::Core::~Core() { end(); }

std::optional<Error> Dumper::Core::trouble() const {
  if (generation_ != fork_generation()) return std::nullopt;
  const std::lock_guard lock(trouble_mutex_);
  return trouble_;
}

bool Dumper::Core::begin_step(std::uint64_t number) noexcept {
  bool wanted = false;
  guarded([&] {
    if (step_) {
      throw Error(Errc::bad_argument,
                  "step {} begins while step {} is still open: end its scope first", number,
                  step_->number);
    }
    if (!plan_.begin(number)) return;
    step_ = std::make_shared<OpenStep>();
    step_->number = number;
    step_begin_ = bytes_;
    wanted = reserve(kMaxLogLine, "the start");  // the commit line
  });
  return wanted;
}

bool Dumper::Core::starts_window() noexcept {
  bool starts = false;
  guarded([&] { starts = step_ && plan_.starts_window(); });
  return starts;
}

void Dumper::Core::next_update() noexcept {
  guarded([&] {
    if (step_) plan_.next_update();
  });
}

// Counts bytes that the open step is going to write. False: they are over the limit, and the dumper
// has ended.
bool Dumper::Core::reserve(std::uint64_t bytes, std::string_view what) {
  if (bytes > max_bytes_ || bytes_ > max_bytes_ - bytes) {
    end_with_limit(fmt::format("FOXHUNT_DETERMINISM_MAX_BYTES={} is reached at {} of step {}",
                               max_bytes_, what, step_->number));
    return false;
  }
  bytes_ += bytes;
  return true;
}

// Null: a limit was reached.
Capture* Dumper::Core::keep(Capture capture, const void* data) {
  if (data == nullptr && capture.bytes > 0) {
    throw Error(Errc::bad_argument, "{} is noted at a null address, {} bytes", capture.name,
                capture.bytes);
  }
  if (!reserve(RunWriter::bytes_needed(capture), capture.name)) return nullptr;
  return &step_->captures.emplace_back(std::move(capture));
}

void Dumper::Core::after_captures(std::function<void()> job) {
  if (!device_) return job();
  device_->run_after([this, job = std::move(job)] {
    try {
      job();
    } catch (...) {
      end_with_trouble(std::current_exception());
    }
  });
}

void Dumper::Core::end_step(bool left_by_exception) noexcept {
  guarded([&] {
    if (!step_) return;
    const std::shared_ptr<OpenStep> step = std::exchange(step_, nullptr);
    if (left_by_exception) {
      throw Error(Errc::bad_argument, "step {} was left by an exception and is not kept",
                  step->number);
    }
    if (steps_recorded_++ == 0) warn_if_it_will_not_fit(*step);
    after_captures([this, step] { commit(*step); });
  });
}

void Dumper::Core::commit(const OpenStep& step) {
  writer_.commit(step);
  if (steps_.count_after(step.number) != 0u || !end()) return;
  writer_.finish(EndState::complete, "");
}

void Dumper::Core::warn_if_it_will_not_fit(const OpenStep& step) {
  const std::uint64_t a_step = bytes_ - step_begin_;
  const std::uint64_t limit_left = max_bytes_ > bytes_ ? max_bytes_ - bytes_ : 0;
  // Some of this step may not have reached the disk yet; a warning can live with that.
  const std::uint64_t disk_left = writer_.directory().free_bytes();
  const std::uint64_t left = std::min(limit_left, disk_left);
  const std::uint64_t fits = left / a_step;
  const auto steps_after = steps_.count_after(step.number);
  if (fits >= steps_after.value_or(kManySteps)) return;
  const std::string plan = steps_after ? fmt::format("{} more steps", *steps_after)
                                       : std::string("steps without an end");
  say(fmt::format(
      "step {} took {}, and {} are asked for, but {} leaves room for {} of them; ask for fewer "
      "steps or groups, or for FOXHUNT_DETERMINISM_MODE=digest",
      step.number, amount(a_step), plan,
      disk_left < limit_left ? fmt::format("the disk, with {} free,", amount(disk_left))
                             : fmt::format("FOXHUNT_DETERMINISM_MAX_BYTES={}", max_bytes_),
      fits));
}

void Dumper::Core::end_with_limit(const std::string& reason) {
  if (!end()) return;
  say(
      fmt::format("{}; the dumper is off, training goes on, and the run in {} is cut: its earlier "
                  "steps can be compared",
                  reason, directory().string()));
  const std::shared_ptr<OpenStep> step = std::exchange(step_, nullptr);
  const auto cut = [this, step, reason] {
    writer_.discard(*step);
    writer_.finish(EndState::cut, reason);
  };
  after_captures(cut);
}

void Dumper::Core::close(bool left_by_exception) noexcept {
  guarded([&] {
    if (left_by_exception) {
      end();
      return;
    }
    if (step_) {
      throw Error(Errc::bad_argument,
                  "the dumper was closed while step {} was still open; that step is not kept",
                  step_->number);
    }
    if (device_) device_->drain();
    if (end()) writer_.finish(EndState::complete, "");
  });
  if (device_ && generation_ == fork_generation()) device_->drain();
}

// Whether this call ended the recording.
bool Dumper::Core::end() noexcept {
  if (ended_.exchange(true)) return false;
  remove_recording_dumper();
  return true;
}

void Dumper::Core::end_with_trouble(std::exception_ptr exception) noexcept {
  const bool was_recording = end();
  try {
    const Error error = as_error(std::move(exception));
    {
      const std::lock_guard lock(trouble_mutex_);
      if (trouble_) return;
      trouble_ = error;
    }
    say(fmt::format("{}; the dumper is off, training goes on, and the run in {} stays incomplete{}",
                    error.what(), directory().string(),
                    was_recording ? ": its earlier steps can be compared" : ""));
  } catch (...) {
    print_message("out of memory; the dumper is off");
  }
}

void Dumper::Core::say(std::string_view text) const noexcept {
  if (!message_) return print_message(text);
  try {
    message_("foxhunt: " + std::string(text));
  } catch (...) {
  }
}

}  // namespace foxhunt
