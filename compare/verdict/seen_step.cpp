// SPDX-License-Identifier: MIT
#include "compare/verdict/seen_step.h"

#include <algorithm>
#include <tuple>

namespace foxhunt {
namespace {

// Worse things last.
int badness(Evidence evidence) {
  switch (evidence) {
    case Evidence::equal:
      return 0;
    case Evidence::unknown:
      return 1;
    case Evidence::diverged:
      return 2;
  }
  return 1;
}

}  // namespace

SeenStep::SeenStep(const Profile& profile, std::vector<Seen> seen, std::uint32_t last_occurrence)
    : profile_(profile), sorted_(std::move(seen)), last_occurrence_(last_occurrence) {
  std::sort(sorted_.begin(), sorted_.end(), [](const Seen& a, const Seen& b) {
    return std::tuple(a.buffer, a.occurrence, -badness(a.evidence)) <
           std::tuple(b.buffer, b.occurrence, -badness(b.evidence));
  });
  const auto same = [](const Seen& a, const Seen& b) {
    return a.buffer == b.buffer && a.occurrence == b.occurrence;
  };
  sorted_.erase(std::unique(sorted_.begin(), sorted_.end(), same), sorted_.end());
  first_.assign(profile.buffers.size() + 1, 0);
  for (const Seen& s : sorted_) {
    ++first_[static_cast<std::size_t>(s.buffer) + 1];
    occurrences_.push_back(s.occurrence);
  }
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  std::sort(occurrences_.begin(), occurrences_.end());
  occurrences_.erase(std::unique(occurrences_.begin(), occurrences_.end()), occurrences_.end());
}

bool SeenStep::made_at(int buffer, std::uint32_t occurrence) const noexcept {
  return occurrence == 0 ||
         (occurrence <= last_occurrence_ &&
          profile_.buffers[static_cast<std::size_t>(buffer)].cadence == Cadence::update);
}

std::optional<SeenStep::Place> SeenStep::at(int buffer, std::uint32_t occurrence) const {
  if (!dumped(buffer)) {
    if (!made_at(buffer, occurrence)) return std::nullopt;
    return Place{occurrence, std::nullopt};
  }
  const auto place = latest(buffer, occurrence);
  return place && place->occurrence == occurrence ? place : std::nullopt;
}

std::optional<SeenStep::Place> SeenStep::latest(int buffer, std::uint32_t occurrence) const {
  if (!dumped(buffer)) {
    const std::uint32_t last = std::min(occurrence, last_occurrence_);
    return Place{made_at(buffer, last) ? last : 0, std::nullopt};
  }
  const Seen* const after =
      std::upper_bound(begin(buffer), end(buffer), occurrence,
                       [](std::uint32_t value, const Seen& s) { return value < s.occurrence; });
  if (after == begin(buffer)) return std::nullopt;
  return Place{after[-1].occurrence, after[-1].evidence};
}

std::optional<Evidence> SeenStep::worst(int buffer) const {
  const Seen* const found = std::max_element(
      begin(buffer), end(buffer),
      [](const Seen& a, const Seen& b) { return badness(a.evidence) < badness(b.evidence); });
  if (found == end(buffer)) return std::nullopt;
  return found->evidence;
}

}  // namespace foxhunt
