// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "compare/runs/run_file.h"

namespace foxhunt {

// Files are compared window by window. Small enough that four of them (two threads, two sides) keep
// the program's memory low, large enough that mapping one costs nothing; a multiple of the chunk of
// dump/format/digest.h and of every element's size.
inline constexpr std::uint64_t kWindowBytes = std::uint64_t{4} << 20;

// A part of a file in memory: mapped, or read where the part is small or mapping fails. Touch
// mapped bytes only inside guarded() of fault_guard.h.
class Window {
 public:
  // `scratch` backs a part that is read; it must outlive the window. `offset` is a multiple of
  // kWindowBytes. Throws Error io.
  Window(const RunFile& file, std::uint64_t offset, std::size_t bytes,
         std::vector<std::byte>& scratch);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  std::span<const std::byte> bytes() const noexcept { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
  void* mapping_ = nullptr;
};

}  // namespace foxhunt
