// SPDX-License-Identifier: MIT
#include "kernels/simt/symbols.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <unwind.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include "kernels/simt/race_detector.h"

#if defined(FOXHUNT_SIMT_BACKTRACE)
// libbacktrace, which comes with GCC; its header is GCC's own, and hidden from other compilers.
extern "C" {
struct backtrace_state;
using backtrace_error_callback = void (*)(void* data, const char* message, int error);
using backtrace_full_callback = int (*)(void* data, std::uintptr_t pc, const char* file, int line,
                                        const char* function);
backtrace_state* backtrace_create_state(const char* file, int threaded,
                                        backtrace_error_callback on_error, void* data);
using backtrace_syminfo_callback = void (*)(void* data, std::uintptr_t pc, const char* name,
                                            std::uintptr_t value, std::uintptr_t size);
int backtrace_syminfo(backtrace_state* state, std::uintptr_t pc,
                      backtrace_syminfo_callback callback, backtrace_error_callback on_error,
                      void* data);
int backtrace_pcinfo(backtrace_state* state, std::uintptr_t pc, backtrace_full_callback callback,
                     backtrace_error_callback on_error, void* data);
}
#endif

namespace foxhunt::simt {
namespace {

std::string demangled(const char* name) {
  if (name == nullptr) return "";
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
  std::string plain = status == 0 ? text.get() : name;
  // Debug information leaves it out as well, so that a kernel has one name in all builds.
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  for (std::size_t at; (at = plain.find(kAnonymous)) != std::string::npos;) {
    plain.erase(at, kAnonymous.size());
  }
  return plain;
}

// The frames at one address: innermost of what was inlined first.
std::vector<CodePlace> frames_at(std::uintptr_t address) {
  // What reads the tables shares them between threads, which need not be told to anybody; and a
  // report of that would ask for places again, without end.
  const RaceIgnored ignored;
  std::vector<CodePlace> frames;
#if defined(FOXHUNT_SIMT_BACKTRACE)
  const auto ignore = [](void*, const char*, int) {};
  static backtrace_state* const state = backtrace_create_state(nullptr, 0, ignore, nullptr);
  const auto collect = [](void* data, std::uintptr_t, const char* file, int line,
                          const char* function) {
    static_cast<std::vector<CodePlace>*>(data)->push_back(
        {demangled(function), file == nullptr ? "" : file, line});
    return 0;
  };
  if (state != nullptr) backtrace_pcinfo(state, address, collect, ignore, &frames);
  if (state != nullptr && (frames.empty() || frames.back().function.empty())) {
    // Lines only: the table of symbols knows the function.
    if (frames.empty()) frames.emplace_back();
    const auto name = [](void* data, std::uintptr_t, const char* symbol, std::uintptr_t,
                         std::uintptr_t) { *static_cast<std::string*>(data) = demangled(symbol); };
    backtrace_syminfo(state, address, name, ignore, &frames.back().function);
  }
#endif
  if (frames.empty() || frames.back().function.empty()) {
    Dl_info info;
    if (dladdr(reinterpret_cast<void*>(address), &info) != 0 && info.dli_sname != nullptr) {
      if (frames.empty()) frames.emplace_back();
      frames.back().function = demangled(info.dli_sname);
    }
  }
  return frames;
}

bool of_the_executor(std::string_view file) {
  return file.empty() || (file.find("kernels/simt/") != std::string_view::npos &&
                          file.find("tests/kernels/simt/") == std::string_view::npos);
}

// False if nothing there is a kernel's.
bool find_kernel_code(std::uintptr_t address, CodePlace& place) {
  for (CodePlace& frame : frames_at(address)) {
    if (of_the_executor(frame.file)) continue;
    place = std::move(frame);
    // An endless loop may consist of jumps that belong to no line: then what is just before it.
    for (std::uintptr_t back = 1; place.line == 0 && back < 64; ++back) {
      for (const CodePlace& before : frames_at(address - back)) {
        if (before.file == place.file && before.line != 0) place.line = before.line;
      }
    }
    return true;
  }
  return false;
}

struct Walk {
  CodePlace place;
};

_Unwind_Reason_Code visit(_Unwind_Context* context, void* data) {
  const std::uintptr_t address = _Unwind_GetIP(context);
  if (address == 0) return _URC_END_OF_STACK;
  // A return address is behind its call.
  return find_kernel_code(address - 1, static_cast<Walk*>(data)->place) ? _URC_END_OF_STACK
                                                                        : _URC_NO_REASON;
}

}  // namespace

CodePlace place_of_code(const void* address) {
  CodePlace place;
  find_kernel_code(reinterpret_cast<std::uintptr_t>(address), place);
  return place;
}

bool is_executor_code(const void* address) {
  const std::vector<CodePlace> frames = frames_at(reinterpret_cast<std::uintptr_t>(address));
  return !frames.empty() && !frames.back().file.empty() && of_the_executor(frames.back().file);
}

CodePlace place_of_running_code(const void* address) {
  CodePlace place = place_of_code(address);
  if (!place.file.empty()) return place;
  Walk walk;
  _Unwind_Backtrace(visit, &walk);
  return walk.place;
}

std::string function_name(const void* address) {
  const std::vector<CodePlace> frames = frames_at(reinterpret_cast<std::uintptr_t>(address));
  if (frames.empty()) return "";
  std::string name = frames.back().function;
  // Parameters, and what a template's instance returns, say nothing here.
  if (const std::size_t end = name.rfind('('); end != std::string::npos && end != 0)
    name.erase(end);
  if (name.rfind("void ", 0) == 0) name.erase(0, 5);
  return name;
}

}  // namespace foxhunt::simt
