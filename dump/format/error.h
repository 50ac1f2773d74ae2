// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#ifndef __CUDACC__  // nvcc cannot parse fmt; in its files errors are caught, not made
#include <fmt/format.h>
#endif

namespace foxhunt {

// What kind of trouble, for programs; the text is for people.
enum class Errc {
  bad_argument,  // the caller asked for something that cannot be done
  io,            // the operating system refused
  missing,       // no such file
  format,        // a file is damaged, hostile or not what its name says
  version,       // written by a foxhunt that this one does not read
  limit,         // a stated bound was reached
  device,        // CUDA refused
};

const char* errc_name(Errc code) noexcept;

// The one exception type. The text says what was found, where, what was expected and what to do.
class Error : public std::runtime_error {
 public:
#ifndef __CUDACC__
  template <class... Args>
  Error(Errc code, fmt::format_string<Args...> text, Args&&... args)
      : std::runtime_error(fmt::format(text, std::forward<Args>(args)...)), code_(code) {}
#endif

  Errc code() const noexcept { return code_; }

 private:
  Errc code_;
};

// "No space left on device (28)".
std::string errno_text(int error_number);

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line) noexcept;

}  // namespace foxhunt

// A bug of ours, not of the user's: stays on in release builds and aborts.
#define FOXHUNT_ASSERT(condition) \
  ((condition) ? void(0) : ::foxhunt::assertion_failed(#condition, __FILE__, __LINE__))
