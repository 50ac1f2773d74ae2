// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "compare/verdict/walk.h"

namespace foxhunt {

// One dumped instance of a buffer that the profile knows.
struct Seen {
  std::int32_t buffer = -1;
  std::uint32_t occurrence = 0;
  Evidence evidence = Evidence::equal;

  bool operator==(const Seen&) const = default;
};

// What one step dumped, for questions about instances (walk.h says which there are).
class SeenStep {
 public:
  // `last_occurrence` is the step's largest. A buffer given twice at one occurrence counts as the
  // worse of the two.
  SeenStep(const Profile& profile, std::vector<Seen> seen, std::uint32_t last_occurrence);

  std::uint32_t last_occurrence() const noexcept { return last_occurrence_; }
  bool dumped(int buffer) const noexcept { return begin(buffer) != end(buffer); }

  struct Place {
    std::uint32_t occurrence = 0;
    std::optional<Evidence> evidence;  // nothing: it was not dumped
  };
  // The instance at just this occurrence.
  std::optional<Place> at(int buffer, std::uint32_t occurrence) const;
  // The latest instance up to this occurrence.
  std::optional<Place> latest(int buffer, std::uint32_t occurrence) const;
  // What is known of a buffer over all occurrences: the worst; nothing if it was not dumped.
  std::optional<Evidence> worst(int buffer) const;

  // Occurrences at which something was dumped, ascending.
  const std::vector<std::uint32_t>& occurrences() const noexcept { return occurrences_; }

 private:
  const Seen* begin(int buffer) const noexcept {
    return sorted_.data() + first_[static_cast<std::size_t>(buffer)];
  }
  const Seen* end(int buffer) const noexcept {
    return sorted_.data() + first_[static_cast<std::size_t>(buffer) + 1];
  }
  bool made_at(int buffer, std::uint32_t occurrence) const noexcept;

  const Profile& profile_;
  std::vector<Seen> sorted_;          // by buffer, then occurrence
  std::vector<std::uint32_t> first_;  // of each buffer in sorted_
  std::vector<std::uint32_t> occurrences_;
  std::uint32_t last_occurrence_;
};

}  // namespace foxhunt
