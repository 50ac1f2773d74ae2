// SPDX-License-Identifier: MIT
#include "dump/capture/dumper.h"

#include <cstdlib>
#include <exception>
#include <string>
#include <utility>

#include "dump/capture/armed_state.h"
#include "dump/capture/arming.h"
#include "dump/capture/dumper_core.h"
#include "dump/capture/message.h"

namespace foxhunt {
namespace {

const char* environment(const char* name) noexcept { return std::getenv(name); }

// Says why nothing will be dumped, and leaves it in `trouble`.
void report(const std::function<void(std::string_view)>& message, std::optional<Error>* trouble,
            std::exception_ptr exception, bool aloud) noexcept {
  try {
    const Error error = as_error(std::move(exception));
    if (trouble != nullptr) *trouble = error;
    if (!aloud) return;
    const std::string text = fmt::format("{}; nothing is dumped", error.what());
    if (message) {
      message("foxhunt: " + text);
    } else {
      print_message(text);
    }
  } catch (...) {
  }
}

}  // namespace

Dumper::Dumper() noexcept = default;
Dumper::Dumper(Dumper&&) noexcept = default;

Dumper& Dumper::operator=(Dumper&& other) noexcept {
  if (this == &other) return *this;
  close();
  core_ = std::move(other.core_);
  return *this;
}

Dumper::~Dumper() {
  if (core_) core_->close(core_->is_unwinding());
}

Dumper Dumper::from_environment(const std::function<Profile()>& profile, DumperOptions options,
                                std::optional<Error>* trouble) noexcept {
  Dumper dumper;
  try {
    if (!is_armed_by(environment)) {
      settle_armed_state(0);
      return dumper;
    }
  } catch (...) {
    const bool first = settle_armed_state(0);  // otherwise a hook has said it
    report(options.message, trouble, std::current_exception(), first);
    return dumper;
  }
  try {
    dumper.core_ = Core::open(read_arming(environment), profile(), options);
  } catch (...) {
    report(options.message, trouble, std::current_exception(), true);
    remove_recording_dumper(/*was_recording=*/false);
  }
  return dumper;
}

std::filesystem::path Dumper::directory() const {
  return core_ ? core_->directory() : std::filesystem::path();
}

std::optional<Error> Dumper::trouble() const { return core_ ? core_->trouble() : std::nullopt; }

StepScope Dumper::step(std::uint64_t number) noexcept {
  if (!core_) {
    read_armed_state();
    return {};
  }
  return core_->begin_step(number) ? StepScope(core_) : StepScope();
}

void Dumper::close() noexcept {
  if (core_) core_->close(/*left_by_exception=*/false);
}

StepScope::StepScope() noexcept = default;

StepScope::StepScope(std::shared_ptr<Dumper::Core> core) noexcept
    : core_(std::move(core)), unwinding_(std::uncaught_exceptions()) {}

StepScope::StepScope(StepScope&& other) noexcept = default;

StepScope& StepScope::operator=(StepScope&& other) noexcept {
  if (this == &other) return *this;
  close();
  core_ = std::move(other.core_);
  unwinding_ = other.unwinding_;
  return *this;
}

StepScope::~StepScope() {
  if (core_) core_->end_step(std::uncaught_exceptions() > unwinding_);
}

bool StepScope::starts_window() const noexcept { return core_ && core_->starts_window(); }

void StepScope::next_update() noexcept {
  if (core_) core_->next_update();
}

void StepScope::note_host(std::string_view name, const void* data, std::uint64_t bytes) noexcept {
  if (!core_) return read_armed_state();
  core_->note_host(data, name, bytes);
}

void StepScope::note_host(const BufferDesc& desc, const void* data) noexcept {
  if (!core_) return read_armed_state();
  core_->note_host(data, desc);
}

void StepScope::note_device(std::string_view name, const void* data, std::uint64_t bytes,
                            DeviceQueue::Stream stream) noexcept {
  if (!core_) return read_armed_state();
  core_->note_device(data, stream, name, bytes);
}

void StepScope::note_device(const BufferDesc& desc, const void* data,
                            DeviceQueue::Stream stream) noexcept {
  if (!core_) return read_armed_state();
  core_->note_device(data, stream, desc);
}

void StepScope::close() noexcept {
  if (const auto core = std::exchange(core_, nullptr)) core->end_step(false);
}

void StepScope::abandon() noexcept {
  if (const auto core = std::exchange(core_, nullptr)) core->end_step(true);
}

}  // namespace foxhunt
