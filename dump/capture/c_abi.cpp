// SPDX-License-Identifier: MIT
#include "dump/capture/c_abi.h"

#include <memory>
#include <new>
#include <string>
#include <utility>

#include "dump/capture/armed_state.h"
#include "dump/capture/dumper.h"
#ifdef FOXHUNT_HAVE_CUDA
#include "dump/capture/cuda_device_queue.h"
#endif

using foxhunt::armed_state;
using foxhunt::BufferDesc;
using foxhunt::c_guarded;
using foxhunt::Dumper;
using foxhunt::DumperOptions;
using foxhunt::Errc;
using foxhunt::Error;
using foxhunt::required;
using foxhunt::StepScope;

struct foxhunt_options {
  DumperOptions options;
};

struct foxhunt_dumper {
  Dumper dumper;
  std::string directory;
};

struct foxhunt_step {
  const Dumper* dumper;
  StepScope scope;
};

namespace foxhunt {
namespace {

thread_local std::string last_message;

}  // namespace

foxhunt_status c_error(const Error& error) noexcept {
  try {
    last_message = error.what();
  } catch (...) {
    last_message.clear();
  }
  switch (error.code()) {
    case Errc::bad_argument:
      return FOXHUNT_ERROR_ARGUMENT;
    case Errc::io:
    case Errc::missing:
      return FOXHUNT_ERROR_IO;
    case Errc::format:
      return FOXHUNT_ERROR_FORMAT;
    case Errc::version:
      return FOXHUNT_ERROR_VERSION;
    case Errc::limit:
      return FOXHUNT_ERROR_LIMIT;
    case Errc::device:
      return FOXHUNT_ERROR_DEVICE;
  }
  return FOXHUNT_ERROR_IO;
}

foxhunt_status c_error(std::exception_ptr error) noexcept {
  try {
    std::rethrow_exception(std::move(error));
  } catch (const Error& e) {
    return c_error(e);
  } catch (const std::bad_alloc&) {
    last_message.clear();
    last_message.append("no memory");  // fits without an allocation
    return FOXHUNT_ERROR_LIMIT;
  } catch (...) {
    last_message.clear();
    return FOXHUNT_ERROR_IO;
  }
}

foxhunt_status c_misuse(std::string_view text) noexcept {
  return c_guarded([text] { throw Error(Errc::bad_argument, "{}", text); });
}

DType dtype_of(foxhunt_dtype dtype) {
  if (dtype < FOXHUNT_F16 || dtype > FOXHUNT_F8E5M2) {
    throw Error(Errc::bad_argument, "dtype {} is none of this library's", dtype);
  }
  return static_cast<DType>(dtype);
}

const char* required(const char* text, const char* what) {
  if (text == nullptr) throw Error(Errc::bad_argument, "{} is NULL", what);
  return text;
}

}  // namespace foxhunt

namespace {

// What cannot be right becomes a description that no note accepts: a buffer left out is trouble,
// not just a result that the trainer may ignore.
BufferDesc desc_of(const foxhunt_buffer_desc* desc) {
  BufferDesc result;
  if (desc == nullptr || desc->name == nullptr) return result;
  if (desc->dtype < FOXHUNT_F16 || desc->dtype > FOXHUNT_F8E5M2) return result;
  if (desc->rank > foxhunt::kMaxRank || (desc->rank > 0 && desc->shape == nullptr)) return result;
  result.name = desc->name;
  result.group = desc->group;
  result.dtype = static_cast<foxhunt::DType>(desc->dtype);
  result.shape.assign(desc->shape, desc->shape + desc->rank);
  return result;
}

std::string_view name_of(const char* name) noexcept { return name == nullptr ? "" : name; }

// Runs `action`; reports the trouble that turned the dumper off meanwhile.
template <class Action>
foxhunt_status watched(const Dumper& dumper, const Action& action) noexcept {
  return c_guarded([&] {
    const bool was_well = !dumper.trouble();
    action();
    if (const auto trouble = dumper.trouble(); was_well && trouble) throw *trouble;
  });
}

template <class Note>
foxhunt_status note(foxhunt_step* step, const Note& call) noexcept {
  if (step == nullptr) {
    foxhunt::read_armed_state();
    return FOXHUNT_OK;
  }
  return watched(*step->dumper, [&] { call(step->scope); });
}

// The hooks while not disarmed. Out of line and with the same parameters, so that a disarmed hook
// is a load, a branch and a return.

[[gnu::noinline]] foxhunt_status next_update(foxhunt_step* step) noexcept {
  return note(step, [](StepScope& scope) { scope.next_update(); });
}

[[gnu::noinline]] foxhunt_status note_host(foxhunt_step* step, const char* name, const void* data,
                                           uint64_t bytes) noexcept {
  return note(step, [&](StepScope& scope) { scope.note_host(name_of(name), data, bytes); });
}

[[gnu::noinline]] foxhunt_status note_host_as(foxhunt_step* step, const foxhunt_buffer_desc* desc,
                                              const void* data) noexcept {
  return note(step, [&](StepScope& scope) { scope.note_host(desc_of(desc), data); });
}

[[gnu::noinline]] foxhunt_status note_device(foxhunt_step* step, const char* name, const void* data,
                                             uint64_t bytes, void* stream) noexcept {
  return note(step,
              [&](StepScope& scope) { scope.note_device(name_of(name), data, bytes, stream); });
}

[[gnu::noinline]] foxhunt_status note_device_as(foxhunt_step* step, const foxhunt_buffer_desc* desc,
                                                const void* data, void* stream) noexcept {
  return note(step, [&](StepScope& scope) { scope.note_device(desc_of(desc), data, stream); });
}

}  // namespace

extern "C" {

const char* foxhunt_version(void) { return FOXHUNT_VERSION; }

const char* foxhunt_last_message(void) { return foxhunt::last_message.c_str(); }

int foxhunt_armed(void) {
  if (armed_state() < 0) foxhunt::read_armed_state();
  return armed_state() > 0 ? 1 : 0;
}

foxhunt_options* foxhunt_options_create(void) {
  foxhunt_options* created = nullptr;
  c_guarded([&] { created = new foxhunt_options; });
  return created;
}

void foxhunt_options_destroy(foxhunt_options* options) { delete options; }

foxhunt_status foxhunt_options_provenance(foxhunt_options* options, const char* key,
                                          const char* value) {
  if (options == nullptr) return FOXHUNT_OK;
  return c_guarded([&] {
    options->options.provenance[required(key, "the key")] = required(value, "the value");
  });
}

foxhunt_status foxhunt_options_use_cuda([[maybe_unused]] foxhunt_options* options) {
#ifdef FOXHUNT_HAVE_CUDA
  if (options == nullptr) return FOXHUNT_OK;
  return c_guarded(
      [&] { options->options.device = [] { return foxhunt::make_cuda_device_queue(); }; });
#else
  return foxhunt::c_error(Error(Errc::device,
                                "this build of libfoxhunt_dump has no CUDA: note host memory, or "
                                "build it where the CUDA toolkit is found"));
#endif
}

foxhunt_status foxhunt_options_staging_bytes(foxhunt_options* options, size_t bytes) {
  if (options != nullptr) options->options.staging_bytes = bytes;
  return FOXHUNT_OK;
}

foxhunt_status foxhunt_options_on_message(foxhunt_options* options,
                                          void (*message)(void* user, const char* text),
                                          void* user) {
  if (options == nullptr) return FOXHUNT_OK;
  return c_guarded([&] {
    if (message == nullptr) {
      options->options.message = nullptr;
    } else {
      options->options.message = [message, user](std::string_view text) {
        message(user, std::string(text).c_str());
      };
    }
  });
}

foxhunt_status foxhunt_open_from_environment(const foxhunt_profile* profile,
                                             const foxhunt_options* options, foxhunt_dumper** out) {
  if (out == nullptr) return foxhunt::c_misuse("there is no place for the dumper: out is NULL");
  *out = nullptr;
  return c_guarded([&] {
    std::optional<Error> trouble;
    auto opened = Dumper::from_environment(
        [profile] {
          return profile == nullptr ? foxhunt::Profile() : foxhunt::profile_behind(*profile);
        },
        options == nullptr ? DumperOptions() : options->options, &trouble);
    if (trouble) throw *trouble;
    if (!opened.armed()) return;
    auto dumper = std::make_unique<foxhunt_dumper>();
    dumper->directory = opened.directory().string();
    dumper->dumper = std::move(opened);
    *out = dumper.release();
  });
}

const char* foxhunt_directory(const foxhunt_dumper* dumper) {
  return dumper == nullptr ? "" : dumper->directory.c_str();
}

foxhunt_step* foxhunt_step_begin(foxhunt_dumper* dumper, uint64_t number) {
  if (armed_state() == 0) return nullptr;
  if (dumper == nullptr) {
    foxhunt::read_armed_state();
    return nullptr;
  }
  foxhunt_step* begun = nullptr;
  watched(dumper->dumper, [&] {
    auto step = std::make_unique<foxhunt_step>(foxhunt_step{&dumper->dumper, StepScope()});
    step->scope = dumper->dumper.step(number);
    if (step->scope.wanted()) begun = step.release();
  });
  return begun;
}

int foxhunt_step_starts_window(const foxhunt_step* step) {
  return step != nullptr && step->scope.starts_window() ? 1 : 0;
}

foxhunt_status foxhunt_next_update(foxhunt_step* step) {
  return armed_state() == 0 ? FOXHUNT_OK : next_update(step);
}

foxhunt_status foxhunt_note_host(foxhunt_step* step, const char* name, const void* data,
                                 uint64_t bytes) {
  return armed_state() == 0 ? FOXHUNT_OK : note_host(step, name, data, bytes);
}

foxhunt_status foxhunt_note_host_as(foxhunt_step* step, const foxhunt_buffer_desc* desc,
                                    const void* data) {
  return armed_state() == 0 ? FOXHUNT_OK : note_host_as(step, desc, data);
}

foxhunt_status foxhunt_note_device(foxhunt_step* step, const char* name, const void* data,
                                   uint64_t bytes, void* stream) {
  return armed_state() == 0 ? FOXHUNT_OK : note_device(step, name, data, bytes, stream);
}

foxhunt_status foxhunt_note_device_as(foxhunt_step* step, const foxhunt_buffer_desc* desc,
                                      const void* data, void* stream) {
  return armed_state() == 0 ? FOXHUNT_OK : note_device_as(step, desc, data, stream);
}

foxhunt_status foxhunt_step_end(foxhunt_step* step) {
  if (step == nullptr) return FOXHUNT_OK;
  const std::unique_ptr<foxhunt_step> owned(step);
  return watched(*owned->dumper, [&] { owned->scope.close(); });
}

foxhunt_status foxhunt_step_abandon(foxhunt_step* step) {
  if (step == nullptr) return FOXHUNT_OK;
  const std::unique_ptr<foxhunt_step> owned(step);
  owned->scope.abandon();
  return FOXHUNT_OK;
}

foxhunt_status foxhunt_close(foxhunt_dumper* dumper) {
  if (dumper == nullptr) return FOXHUNT_OK;
  const std::unique_ptr<foxhunt_dumper> owned(dumper);
  return c_guarded([&] {
    owned->dumper.close();
    if (const auto trouble = owned->dumper.trouble()) throw *trouble;
  });
}

}  // extern "C"
