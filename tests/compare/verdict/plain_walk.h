// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compare/verdict/walk.h"

namespace foxhunt::test {

// The verdict's rules once more, from their text: slow, over an explicit map of all instances of
// all steps, by plain recursion. It shares no code with compare/verdict.
class PlainWalk {
 public:
  explicit PlainWalk(const Profile& profile);
  void add_step(std::uint64_t step, std::span<const Instance> instances);
  // The first step with a divergence; only what rules 1 to 3 speak of is filled in (no advice).
  std::optional<FirstDivergence> first_divergence();

 private:
  // An instance. One that no dumped step holds stands for what came before the window.
  struct Key {
    std::uint64_t step = 0;
    std::uint32_t occurrence = 0;
    std::string buffer;
    auto operator<=>(const Key&) const = default;
  };
  enum class Found { not_dumped, equal, diverged, unknown };
  enum class State { equal, diverged, tainted, unknown };
  struct Distance {
    int lag = 0, launches = 0;
    auto operator<=>(const Distance&) const = default;
  };
  using Ancestors = std::map<Key, Distance>;

  const ProfileBuffer& buffer(const std::string& name) const { return *known_.at(name).buffer; }
  const Launch* launch(const std::string& name) const { return known_.at(name).launch; }
  std::pair<int, int> place(const std::string& name) const { return known_.at(name).place; }
  bool was_dumped(std::uint64_t step) const { return largest_.contains(step); }
  Key input(const Key& reader, const Input& input) const;
  std::vector<Key> inputs(const Key& reader) const;
  State state(const Key& key);
  void explore(const Key& key, Distance distance, Ancestors& ancestors);
  std::vector<std::string> undumped(const Ancestors& ancestors, std::string& groups) const;
  static std::string labelled(const std::string& name, int lag);

  struct Known {
    const ProfileBuffer* buffer = nullptr;
    const Launch* launch = nullptr;  // none: nobody says who makes it
    std::pair<int, int> place;       // launch number, output number; what nobody makes comes first
  };

  const Profile& profile_;
  std::map<std::string, Known> known_;
  std::map<std::uint64_t, std::uint32_t> largest_;  // of each dumped step: its largest occurrence
  std::map<Key, Found> instances_;
  std::map<Key, std::uint64_t> first_index_;
  struct Stranger {
    std::string name;
    std::uint32_t occurrence;
    char group;
    auto operator<=>(const Stranger&) const = default;
  };
  std::map<std::uint64_t, std::vector<Stranger>> strangers_;  // divergent, known to no profile
  std::map<std::uint64_t, std::map<char, bool>> diverged_groups_;
  std::map<Key, State> states_;
};

}  // namespace foxhunt::test
