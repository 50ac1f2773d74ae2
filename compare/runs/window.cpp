// SPDX-License-Identifier: MIT
#include "compare/runs/window.h"

#include <sys/mman.h>

namespace foxhunt {
namespace {
// Below this, reading beats mapping and unmapping.
constexpr std::size_t kReadBelow = std::size_t{1} << 20;
}  // namespace

Window::Window(const RunFile& file, std::uint64_t offset, std::size_t bytes,
               std::vector<std::byte>& scratch) {
  if (bytes >= kReadBelow) {
    void* const mapping =
        ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.fd(), static_cast<off_t>(offset));
    if (mapping != MAP_FAILED) {
      mapping_ = mapping;
      bytes_ = {static_cast<const std::byte*>(mapping), bytes};
      return;
    }
  }
  if (scratch.size() < bytes) scratch.resize(bytes);
  file.read(offset, std::span(scratch).first(bytes));
  bytes_ = std::span(scratch).first(bytes);
}

Window::~Window() {
  if (mapping_ != nullptr) ::munmap(mapping_, bytes_.size());
}

}  // namespace foxhunt
