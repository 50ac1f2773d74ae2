// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

namespace foxhunt::simt {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

// 16 aligned bytes of memory to which something was stored in this launch.
struct Line {
  std::uintptr_t number;          // address / 16
  std::uint32_t pending = kNone;  // the first of the stores to it that not everybody sees

  // What the bytes of `old_mask` held before the last store became visible to other blocks: until
  // `until`, threads that have not synchronised since `time` may still read it.
  std::uint8_t old[16];
  std::uint16_t old_mask = 0;
  std::uint32_t writer = 0;  // the block that stored; it does not see the old value
  std::uint64_t time = 0;
  std::uint64_t until = 0;

  char* address() const { return reinterpret_cast<char*>(number << 4); }
};

// Lines by number, in an open hash table. References stay valid until the next add().
class LineTable {
 public:
  LineTable() : buckets_(1024) {}

  bool empty() const { return lines_.empty(); }
  void clear() {
    lines_.clear();
    ++generation_;
  }

  Line& operator[](std::uint32_t index) { return lines_[index]; }

  // kNone if there is none of that number.
  std::uint32_t find(std::uintptr_t number) const {
    for (std::size_t i = home(number);; i = (i + 1) & (buckets_.size() - 1)) {
      const Bucket& bucket = buckets_[i];
      if (bucket.generation != generation_) return kNone;
      if (lines_[bucket.line].number == number) return bucket.line;
    }
  }

  std::uint32_t find_or_add(std::uintptr_t number) {
    const std::uint32_t found = find(number);
    if (found != kNone) return found;
    if (2 * (lines_.size() + 1) > buckets_.size()) grow();
    const auto index = static_cast<std::uint32_t>(lines_.size());
    lines_.push_back({.number = number, .old = {}});
    enter(index);
    return index;
  }

 private:
  struct Bucket {
    std::uint32_t generation = 0;  // empty, if not the table's
    std::uint32_t line = 0;
  };

  std::size_t home(std::uintptr_t number) const {
    return static_cast<std::size_t>(number * 0x9e3779b97f4a7c15u >> 32) & (buckets_.size() - 1);
  }

  void enter(std::uint32_t index) {
    std::size_t i = home(lines_[index].number);
    while (buckets_[i].generation == generation_) i = (i + 1) & (buckets_.size() - 1);
    buckets_[i] = {generation_, index};
  }

  void grow() {
    buckets_.assign(4 * buckets_.size(), {});
    for (std::uint32_t i = 0; i < lines_.size(); ++i) enter(i);
  }

  std::vector<Line> lines_;
  std::vector<Bucket> buckets_;
  std::uint32_t generation_ = 1;
};

}  // namespace foxhunt::simt
