// SPDX-License-Identifier: MIT
#include "compare/verdict/ancestors.h"

#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <tuple>
#include <unordered_set>

namespace foxhunt {

std::string Ancestor::name(const Profile& profile) const {
  const std::string& plain = profile.buffers[static_cast<std::size_t>(buffer)].name;
  return lag == 0 ? plain : fmt::format("{}[-{}]", plain, lag);
}

std::uint64_t Ancestor::key() const noexcept {
  static_assert(kMaxProfileBuffers <= 1u << 16 && kMaxLag + 1 < 1 << 16);
  return std::uint64_t{steps_back} << 48 | std::uint64_t{occurrence} << 16 |
         static_cast<std::uint64_t>(buffer);
}

AncestorSearch::AncestorSearch(const Profile& profile, const Window& window)
    : profile_(profile), window_(window), ranks_(profile.buffers.size()) {
  std::uint32_t next = 0;
  for (std::size_t b = 0; b < ranks_.size(); ++b) {
    if (profile.buffers[b].launch < 0) ranks_[b] = next++;
  }
  for (const Launch& launch : profile.launches) {
    for (const int output : launch.outputs) ranks_[static_cast<std::size_t>(output)] = next++;
  }
}

std::optional<Evidence> AncestorSearch::carried_in(const SeenStep& step, int buffer) const {
  const int capture = profile_.carried_in(buffer);
  return capture < 0 ? std::nullopt : step.worst(capture);
}

AncestorSearch::Found AncestorSearch::find(const Ancestor& reader, const Input& input) const {
  Found found;
  found.ancestor = {input.buffer, reader.steps_back, reader.occurrence, reader.lag + input.lag};
  const SeenStep& step = *window_[reader.steps_back];
  std::optional<SeenStep::Place> place;
  if (input.lag == 0) {
    place = step.latest(input.buffer, reader.occurrence);
  } else {
    if (reader.occurrence > 0) place = step.latest(input.buffer, reader.occurrence - 1);
    if (!place) {
      found.ancestor.steps_back = reader.steps_back + 1;
      found.ancestor.occurrence = 0;
      if (found.ancestor.steps_back == window_.size()) {
        found.equal = carried_in(step, input.buffer) == Evidence::equal;
        return found;
      }
      const SeenStep& previous = *window_[found.ancestor.steps_back];
      place = previous.latest(input.buffer, previous.last_occurrence());
    }
  }
  if (!place) return found;
  found.made = true;
  found.ancestor.occurrence = place->occurrence;
  found.equal = place->evidence == Evidence::equal;
  return found;
}

std::vector<Ancestor> AncestorSearch::behind(const Launch& launch, std::uint32_t occurrence,
                                             std::size_t at_most) const {
  struct Waiting {
    Ancestor ancestor;
    bool made;
    int launches;  // between it and the origin
    std::uint32_t rank;

    bool operator<(const Waiting& other) const {  // the nearest is taken first
      return std::tuple(ancestor.lag, launches, rank) >
             std::tuple(other.ancestor.lag, other.launches, other.rank);
    }
  };
  std::priority_queue<Waiting> waiting;
  const auto add_inputs = [&](const Launch& of, const Ancestor& reader, int launches) {
    for (const Input& input : of.inputs) {
      const Found found = find(reader, input);
      if (found.equal || found.ancestor.lag > kMaxLag) continue;
      waiting.push({found.ancestor, found.made, launches, rank(input.buffer)});
    }
  };
  std::vector<Ancestor> ancestors;
  std::unordered_set<std::uint64_t> seen;
  add_inputs(launch, {-1, 0, occurrence, 0}, 1);
  at_most = std::max(at_most, launch.inputs.size());
  while (!waiting.empty() && ancestors.size() < at_most) {
    const Waiting next = waiting.top();
    waiting.pop();
    if (!seen.insert(next.ancestor.key()).second) continue;
    ancestors.push_back(next.ancestor);
    const int maker = profile_.buffers[static_cast<std::size_t>(next.ancestor.buffer)].launch;
    if (!next.made || maker < 0) continue;
    add_inputs(profile_.launches[static_cast<std::size_t>(maker)], next.ancestor,
               next.launches + 1);
  }
  return ancestors;
}

bool AncestorSearch::made_later(const Ancestor& a, const Ancestor& b) const {
  if (a.steps_back != b.steps_back) return a.steps_back < b.steps_back;
  return std::tuple(a.occurrence, rank(a.buffer)) > std::tuple(b.occurrence, rank(b.buffer));
}

}  // namespace foxhunt
