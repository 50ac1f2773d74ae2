// SPDX-License-Identifier: MIT
#include "dump/capture/device_staging.h"

#include <algorithm>
#include <bit>

#include "dump/format/error.h"

namespace foxhunt {
namespace {

constexpr std::size_t kFirstBlock = std::size_t{1} << 20;
// Fewer bytes than this are not worth a piece of their own, if the buffer has more.
constexpr std::size_t kSmallestPiece = std::size_t{64} << 10;
// Where spans begin in a block: what the copy engine and a vectorised digest like.
constexpr std::size_t kAlignment = 256;

}  // namespace

// At least two blocks fit the budget, so that one is filled while the other is written.
DeviceStaging::DeviceStaging(DeviceQueue& queue, std::size_t budget_bytes, std::size_t block_bytes)
    : queue_(queue),
      budget_(budget_bytes),
      largest_block_(std::min(block_bytes, std::max<std::size_t>(budget_bytes / 2, 1))) {
  if (budget_bytes == 0 || block_bytes == 0) {
    throw Error(Errc::bad_argument,
                "staging for device buffers: {} bytes in blocks of {} were asked for; both must be "
                "positive (256 MiB in blocks of 16 MiB is the default)",
                budget_bytes, block_bytes);
  }
}

DeviceStaging::~DeviceStaging() {
  release_idle();
  FOXHUNT_ASSERT(blocks_.empty());
}

std::optional<DeviceStaging::Span> DeviceStaging::take(std::size_t wanted) {
  wanted = std::min(wanted, largest_block_);
  Block* tightest = nullptr;  // of those that hold all of it
  Block* widest = nullptr;
  for (Block& block : blocks_) {
    if (block.room() >= wanted && (tightest == nullptr || block.room() < tightest->room())) {
      tightest = &block;
    }
    if (widest == nullptr || block.room() > widest->room()) widest = &block;
  }
  Block* block = tightest;
  if (block == nullptr) block = grow(wanted);
  if (block == nullptr) block = widest;
  const std::size_t bytes = std::min(wanted, block->room());
  if (bytes < std::min(wanted, kSmallestPiece)) return std::nullopt;
  const Span span{block->data + block->used, bytes};
  block->used = std::min(block->bytes, (block->used + bytes + kAlignment - 1) & ~(kAlignment - 1));
  ++block->spans;
  return span;
}

void DeviceStaging::put(const Span& span) noexcept {
  const auto block = std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& b) {
    return b.data <= span.data && span.data < b.data + b.bytes;
  });
  FOXHUNT_ASSERT(block != blocks_.end());
  if (--block->spans == 0) block->used = 0;
}

bool DeviceStaging::has_idle() const noexcept {
  return std::any_of(blocks_.begin(), blocks_.end(), [](const Block& b) { return b.spans == 0; });
}

void DeviceStaging::release_idle() noexcept {
  std::erase_if(blocks_, [this](const Block& block) {
    if (block.spans != 0) return false;
    queue_.release_pinned(block.data);
    total_ -= block.bytes;
    return true;
  });
}

// nullptr when the budget is spent; never while there is no block at all.
DeviceStaging::Block* DeviceStaging::grow(std::size_t wanted) {
  const std::size_t left = budget_ - total_;
  if (left < std::min(wanted, kSmallestPiece)) return nullptr;
  const std::size_t good = std::bit_ceil(std::max({wanted, total_, kFirstBlock}));
  const std::size_t bytes = std::min({good, largest_block_, left});
  Block& block = blocks_.emplace_back();
  try {
    block.data = queue_.allocate_pinned(bytes);
  } catch (...) {
    blocks_.pop_back();
    throw;
  }
  if (block.data != nullptr) {
    block.bytes = bytes;
    total_ += bytes;
    return &block;
  }
  blocks_.pop_back();
  if (blocks_.empty()) {
    throw Error(Errc::device,
                "no pinned host memory for copies from the device: {} bytes were refused; raise "
                "the limit on locked memory (ulimit -l) or free host memory",
                bytes);
  }
  budget_ = total_;
  return nullptr;
}

}  // namespace foxhunt
