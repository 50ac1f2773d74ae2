// SPDX-License-Identifier: MIT
#include "compare/verdict/walk.h"

#include <algorithm>
#include <unordered_map>

#include "compare/verdict/ancestors.h"
#include "compare/verdict/claims.h"
#include "compare/verdict/first_divergence.h"
#include "compare/verdict/seen_step.h"

namespace foxhunt {
namespace {

// Dumped instances kept of the steps before the current one, in all; what is older counts as not
// dumped. Real trainers dump the same in each step, which is kept once.
constexpr std::size_t kMaxKept = 1 << 20;

struct Dumped {
  std::vector<Seen> seen;  // buffers that the profile knows, in the order given
  std::uint32_t last_occurrence = 0;
};

struct DumpedStep {
  std::uint64_t step = 0;
  std::shared_ptr<const Dumped> dumped;
};

}  // namespace

struct Walk::State {
  explicit State(const Profile& p) : profile(p), ever(p.buffers.size(), false) {}

  // Whether anything diverged. Afterwards `ids` and `current` are those of `instances`.
  bool note(std::span<const Instance> instances);
  void remember(std::uint64_t step);
  Window window() const;

  const Profile& profile;
  std::vector<int> ids;  // of the last step's instances; -1: the profile does not know it
  std::shared_ptr<const Dumped> current = std::make_shared<Dumped>();
  std::deque<DumpedStep> steps;  // newest first, without a gap
  std::vector<bool> ever;        // dumped by any step
};

bool Walk::State::note(std::span<const Instance> instances) {
  bool diverged = false, changed = false;
  std::vector<Seen> fresh;
  std::size_t known = 0;
  std::uint32_t last_occurrence = 0;
  const std::vector<Seen>& before = current->seen;
  ids.resize(instances.size(), -1);
  for (std::size_t i = 0; i < instances.size(); ++i) {
    const Instance& instance = instances[i];
    diverged |= instance.evidence == Evidence::diverged;
    last_occurrence = std::max(last_occurrence, instance.occurrence);
    int& id = ids[i];
    if (id < 0 || profile.buffers[static_cast<std::size_t>(id)].name != instance.name) {
      id = profile.find(instance.name);
    }
    // A known name under another letter is another trainer's buffer.
    if (id >= 0 && profile.buffers[static_cast<std::size_t>(id)].group != instance.group) id = -1;
    if (id < 0) continue;
    const Seen seen{id, instance.occurrence, instance.evidence};
    if (!changed && (known == before.size() || !(before[known] == seen))) {
      changed = true;
      fresh.assign(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(known));
    }
    if (changed) {
      fresh.push_back(seen);
      ever[static_cast<std::size_t>(id)] = true;
    }
    ++known;
  }
  if (!changed && known < before.size()) {
    changed = true;
    fresh.assign(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(known));
  }
  if (!changed && last_occurrence == current->last_occurrence) return diverged;
  if (!changed) fresh = before;
  current = std::make_shared<Dumped>(Dumped{std::move(fresh), last_occurrence});
  return diverged;
}

void Walk::State::remember(std::uint64_t step) {
  if (!steps.empty() && steps.front().step + 1 != step) steps.clear();
  steps.push_front({step, current});
  std::size_t kept = 0;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    if (steps[i].dumped != steps[i - 1].dumped) kept += steps[i].dumped->seen.size();
    if (i > static_cast<std::size_t>(kMaxLag) || kept > kMaxKept) {
      steps.resize(i);
      break;
    }
  }
}

Window Walk::State::window() const {
  Window window;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Dumped& dumped = *steps[i].dumped;
    const bool same = i > 0 && steps[i].dumped == steps[i - 1].dumped;
    window.push_back(
        same ? window.back()
             : std::make_shared<const SeenStep>(profile, dumped.seen, dumped.last_occurrence));
  }
  return window;
}

Walk::Walk(const Profile& profile) : state_(std::make_unique<State>(profile)) {}
Walk::~Walk() = default;

void Walk::add_step(std::uint64_t step, std::span<const Instance> instances) {
  const bool diverged = state_->note(instances);
  if (first_) return;
  state_->remember(step);
  if (!diverged) return;
  first_ = describe_divergence(state_->profile, state_->window(), step, instances, state_->ids);
  state_->steps.clear();
}

std::vector<std::string> Walk::never_dumped() const {
  std::vector<std::string> names;
  for (std::size_t b = 0; b < state_->ever.size(); ++b) {
    const ProfileBuffer& buffer = state_->profile.buffers[b];
    if (!state_->ever[b] && buffer.carries.empty()) names.push_back(buffer.name);
  }
  return names;
}

}  // namespace foxhunt
