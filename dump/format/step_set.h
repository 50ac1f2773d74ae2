// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foxhunt {

// A set of optimizer steps as users write it: "0-3,100,200-" or "all".
class StepSet {
 public:
  static StepSet all();
  // Throws Error bad_argument for anything else than numbers, N-M (N <= M), N- and "all".
  static StepSet parse(std::string_view text);

  bool contains(std::uint64_t step) const noexcept;

  // Whether `step` is in the set and its predecessor is not: a window starts here, and the state
  // carried in from the step before is worth a capture.
  bool starts_window(std::uint64_t step) const noexcept;

  // How many steps, or nothing when the set is open-ended.
  std::optional<std::uint64_t> count() const noexcept;
  // How many of them are larger than `step`; nothing when the set is open-ended.
  std::optional<std::uint64_t> count_after(std::uint64_t step) const noexcept;

  // Normal form: sorted, merged; parse(to_string()) is the same set.
  std::string to_string() const;

  bool operator==(const StepSet&) const = default;

 private:
  struct Range {
    std::uint64_t first, last;  // both inside
    bool operator==(const Range&) const = default;
  };
  std::vector<Range> ranges_;  // sorted, disjoint, not adjacent
};

}  // namespace foxhunt
