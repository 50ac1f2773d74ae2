// SPDX-License-Identifier: MIT
#include "compare/verdict/first_divergence.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <unordered_map>

#include "compare/verdict/ancestors.h"
#include "compare/verdict/claims.h"

namespace foxhunt {
namespace {

// Of all origins together; past it only the nearest are looked for, whatever a hostile profile
// says.
constexpr std::size_t kMaxAncestors = 1 << 18;

class Description {
 public:
  Description(const Profile& profile, const Window& window, std::span<const Instance> instances,
              std::span<const int> ids)
      : p_(profile), window_(window), search_(profile, window) {
    diverged_.assign(p_.buffers.size(), false);
    for (std::size_t i = 0; i < instances.size(); ++i) look_at(instances[i], ids[i]);
    std::sort(first_indices_.begin(), first_indices_.end());
  }

  FirstDivergence run(std::uint64_t step) {
    result_.step = step;
    for (char letter = 'a'; letter <= 'z'; ++letter) {
      if (group(letter).diverged) result_.groups += letter;
    }
    list_known_origins();
    list_unknown_origins();
    name_common_ancestor();
    for (const Pattern& pattern : p_.patterns) {
      if (applies(pattern)) result_.advice.push_back(pattern.advice);
    }
    return std::move(result_);
  }

 private:
  struct Group {
    bool diverged = false, equal = false, unknown = false;
  };
  Group& group(char letter) { return groups_[static_cast<std::size_t>(letter - 'a') % 26]; }

  void look_at(const Instance& instance, int id) {
    Group& its_group = group(instance.group);
    its_group.equal |= instance.evidence == Evidence::equal;
    its_group.unknown |= instance.evidence == Evidence::unknown;
    if (instance.evidence != Evidence::diverged) return;
    its_group.diverged = true;
    if (id < 0) {
      strangers_.push_back(&instance);
    } else {
      diverged_[static_cast<std::size_t>(id)] = true;
      first_indices_.emplace_back(id, instance.occurrence, instance.first_index);
    }
  }

  std::uint64_t first_index(const OriginPlace& place) const {
    const auto found =
        std::lower_bound(first_indices_.begin(), first_indices_.end(),
                         std::tuple(place.buffer, place.occurrence, std::uint64_t{0}));
    return std::get<2>(*found);
  }

  int launch_of(int buffer) const { return p_.buffers[static_cast<std::size_t>(buffer)].launch; }

  void list_known_origins() {
    std::vector<OriginPlace> places = find_origins(p_, window_);
    // As they were made; outputs of one launch by where they first differ.
    const auto order = [this](const OriginPlace& place) {
      const int launch = launch_of(place.buffer);
      const std::uint32_t rank = search_.rank(place.buffer);
      const std::uint32_t launch_rank =
          launch < 0 ? rank
                     : search_.rank(p_.launches[static_cast<std::size_t>(launch)].outputs[0]);
      return std::tuple(place.occurrence, launch_rank, first_index(place), rank);
    };
    std::sort(places.begin(), places.end(),
              [&order](const auto& a, const auto& b) { return order(a) < order(b); });
    for (const OriginPlace& place : places) {
      note_occurrence(place.occurrence);
      if (place_is_left()) list(place);
    }
  }

  void list_unknown_origins() {
    std::sort(strangers_.begin(), strangers_.end(), [](const Instance* a, const Instance* b) {
      return std::tie(a->name, a->occurrence) < std::tie(b->name, b->occurrence);
    });
    for (const Instance* stranger : strangers_) {
      note_occurrence(stranger->occurrence);
      if (!place_is_left()) continue;
      Origin origin;
      origin.buffer = stranger->name;
      origin.group = stranger->group;
      origin.occurrence = stranger->occurrence;
      origin.advice = origin_advice(nullptr, false);
      result_.origins.push_back(std::move(origin));
    }
  }

  void note_occurrence(std::uint32_t occurrence) {
    if (result_.origins.empty() || occurrence < result_.occurrence) {
      result_.occurrence = occurrence;
    }
  }

  bool place_is_left() {
    if (result_.origins.size() < kMaxOrigins) return true;
    ++result_.origins_not_listed;
    return false;
  }

  void list(const OriginPlace& place) {
    const ProfileBuffer& buffer = p_.buffers[static_cast<std::size_t>(place.buffer)];
    Origin origin;
    origin.buffer = buffer.name;
    origin.group = buffer.group;
    origin.occurrence = place.occurrence;
    origin.claim = place.claim;
    if (buffer.launch < 0) {
      origin.advice = origin_advice(nullptr, !buffer.carries.empty());
    } else {
      const Launch& launch = p_.launches[static_cast<std::size_t>(buffer.launch)];
      const Maker& maker = p_.makers[static_cast<std::size_t>(launch.maker)];
      origin.kernel = maker.name;
      origin.site = launch.site;
      origin.kind = maker.kind;
      origin.determinism = maker.determinism;
      origin.advice = origin_advice(&maker, false);
      if (place.claim == Claim::suspected) {
        Launched& launched = launched_at(buffer.launch, place.occurrence);
        launched.origins.push_back(result_.origins.size());
        list_undumped(launched.behind, origin);
      }
    }
    result_.origins.push_back(std::move(origin));
  }

  // Suspected outputs of one launch at one occurrence: they have the same ancestors.
  struct Launched {
    int launch = -1;
    std::uint32_t occurrence = 0;
    std::vector<std::size_t> origins;
    std::vector<Ancestor> behind;
  };

  // Origins are listed in order, so that those of one launch follow each other.
  Launched& launched_at(int launch, std::uint32_t occurrence) {
    if (launched_.empty() || launched_.back().launch != launch ||
        launched_.back().occurrence != occurrence) {
      auto behind = search_.behind(p_.launches[static_cast<std::size_t>(launch)], occurrence,
                                   ancestors_left_);
      ancestors_left_ -= std::min(ancestors_left_, behind.size());
      launched_.push_back({launch, occurrence, {}, std::move(behind)});
    }
    return launched_.back();
  }

  void list_undumped(const std::vector<Ancestor>& ancestors, Origin& origin) {
    std::vector<bool> listed(p_.buffers.size(), false);
    for (const Ancestor& ancestor : ancestors) {
      const auto b = static_cast<std::size_t>(ancestor.buffer);
      if (listed[b]) continue;
      listed[b] = true;
      origin.undumped_inputs.push_back(ancestor.name(p_));
      const char letter = p_.buffers[b].group;
      if (origin.undumped_groups.find(letter) == std::string::npos) {
        origin.undumped_groups += letter;
      }
    }
    std::sort(origin.undumped_groups.begin(), origin.undumped_groups.end());
  }

  void name_common_ancestor() {
    std::unordered_map<std::uint64_t, std::size_t> shared_by;
    for (const Launched& launched : launched_) {
      for (const Ancestor& a : launched.behind) shared_by[a.key()] += launched.origins.size();
    }
    const Ancestor* lowest = nullptr;  // as the first origin that shares it sees it
    std::size_t most = 2;
    for (const Launched& launched : launched_) {
      for (const Ancestor& a : launched.behind) {
        const std::size_t count = shared_by[a.key()];
        if (count > most || (count == most && (!lowest || search_.made_later(a, *lowest)))) {
          lowest = &a;
          most = count;
        }
      }
    }
    if (lowest == nullptr) return;
    result_.common_undumped_ancestor = lowest->name(p_);
    for (const Launched& launched : launched_) {
      const bool shares =
          std::any_of(launched.behind.begin(), launched.behind.end(),
                      [lowest](const Ancestor& a) { return a.key() == lowest->key(); });
      for (const std::size_t index : launched.origins) {
        if (shares) result_.sharing.push_back(result_.origins[index].buffer);
      }
    }
  }

  bool applies(const Pattern& pattern) {
    const auto all = [this](const std::string& letters, auto holds) {
      return std::all_of(letters.begin(), letters.end(),
                         [&](char letter) { return holds(group(letter)); });
    };
    const auto diverged = [this](const std::string& buffer) {
      const int id = p_.find(buffer);
      return id >= 0 && diverged_[static_cast<std::size_t>(id)];
    };
    const auto& any = pattern.any_of;
    const auto& none = pattern.none_of;
    return all(pattern.diverged, [](const Group& g) { return g.diverged; }) &&
           all(pattern.not_diverged, [](const Group& g) { return !g.diverged; }) &&
           all(pattern.equal,
               [](const Group& g) { return g.equal && !g.diverged && !g.unknown; }) &&
           (!pattern.only ||
            result_.groups.find_first_not_of(pattern.diverged) == std::string::npos) &&
           (any.empty() || std::any_of(any.begin(), any.end(), diverged)) &&
           std::none_of(none.begin(), none.end(), diverged);
  }

  const Profile& p_;
  const Window& window_;
  AncestorSearch search_;
  FirstDivergence result_;

  std::array<Group, 26> groups_;
  std::vector<bool> diverged_;  // by buffer
  std::vector<std::tuple<int, std::uint32_t, std::uint64_t>> first_indices_;
  std::vector<const Instance*> strangers_;  // divergent, and no profile knows them
  std::vector<Launched> launched_;
  std::size_t ancestors_left_ = kMaxAncestors;
};

}  // namespace

FirstDivergence describe_divergence(const Profile& profile, const Window& window,
                                    std::uint64_t step, std::span<const Instance> instances,
                                    std::span<const int> ids) {
  return Description(profile, window, instances, ids).run(step);
}

}  // namespace foxhunt
