// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <deque>
#include <optional>

#include "dump/capture/device_queue.h"

namespace foxhunt {

// Pinned host memory for bytes on their way from the device to the writer: blocks, taken from the
// queue one by one as they are needed and kept, never more than the budget in all. Small buffers
// share a block; a block is filled again once everything in it was put back. The first blocks are
// small and later ones grow, so that a run with little to copy pins little.
//
// Not thread-safe.
class DeviceStaging {
 public:
  struct Span {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
  };

  // Takes nothing yet. Throws Error bad_argument if either size is 0.
  DeviceStaging(DeviceQueue& queue, std::size_t budget_bytes, std::size_t block_bytes);
  // Everything must have been put back.
  ~DeviceStaging();
  DeviceStaging(const DeviceStaging&) = delete;
  DeviceStaging& operator=(const DeviceStaging&) = delete;

  // Some of `wanted` > 0 bytes: all, unless a block is smaller or the budget is nearly spent. Empty
  // when something must be put back first. If the system refuses more pinned memory, the budget
  // becomes what there is; throws Error device when that is nothing.
  std::optional<Span> take(std::size_t wanted);
  void put(const Span& span) noexcept;

  // Blocks that hold nothing, and giving them back to the queue.
  bool has_idle() const noexcept;
  void release_idle() noexcept;

 private:
  struct Block {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    std::size_t used = 0;   // from the start
    std::size_t spans = 0;  // not put back yet
    std::size_t room() const noexcept { return bytes - used; }
  };

  Block* grow(std::size_t wanted);

  DeviceQueue& queue_;
  std::size_t budget_;
  const std::size_t largest_block_;
  std::size_t total_ = 0;
  std::deque<Block> blocks_;
};

}  // namespace foxhunt
