// SPDX-License-Identifier: MIT
#include "tests/compare/verdict/plain_walk.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace foxhunt::test {

PlainWalk::PlainWalk(const Profile& profile) : profile_(profile) {
  for (std::size_t b = 0; b < profile.buffers.size(); ++b) {
    known_[profile.buffers[b].name] = {&profile.buffers[b], nullptr, {0, static_cast<int>(b)}};
  }
  for (std::size_t l = 0; l < profile.launches.size(); ++l) {
    const auto& outputs = profile.launches[l].outputs;
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      Known& known = known_[profile.buffers[static_cast<std::size_t>(outputs[o])].name];
      known.launch = &profile.launches[l];
      known.place = {static_cast<int>(l) + 1, static_cast<int>(o)};
    }
  }
}

void PlainWalk::add_step(std::uint64_t step, std::span<const Instance> instances) {
  std::uint32_t& largest = largest_[step];
  std::set<std::string> dumped;
  for (const Instance& i : instances) {
    largest = std::max(largest, i.occurrence);
    if (i.evidence == Evidence::diverged) diverged_groups_[step][i.group] = true;
    const std::string name(i.name);
    if (!known_.contains(name)) {
      if (i.evidence == Evidence::diverged) {
        strangers_[step].push_back({name, i.occurrence, i.group});
      }
      continue;
    }
    dumped.insert(name);
    instances_[{step, i.occurrence, name}] = i.evidence == Evidence::equal      ? Found::equal
                                             : i.evidence == Evidence::diverged ? Found::diverged
                                                                                : Found::unknown;
    first_index_[{step, i.occurrence, name}] = i.first_index;
  }
  for (const ProfileBuffer& b : profile_.buffers) {
    if (dumped.contains(b.name)) continue;
    for (std::uint32_t occurrence = 0; occurrence <= largest; ++occurrence) {
      if (occurrence == 0 || b.cadence == Cadence::update) {
        instances_[{step, occurrence, b.name}] = Found::not_dumped;
      }
    }
  }
}

// What `name` or `name[-1]` means to a reader.
PlainWalk::Key PlainWalk::input(const Key& reader, const Input& input) const {
  const std::string& name = profile_.buffers[static_cast<std::size_t>(input.buffer)].name;
  for (std::int64_t o = std::int64_t{reader.occurrence} - input.lag; o >= 0; --o) {
    const Key key{reader.step, static_cast<std::uint32_t>(o), name};
    if (instances_.contains(key)) return key;
  }
  if (input.lag == 0) return {reader.step, reader.occurrence, name};  // there is none
  if (reader.step > 0 && was_dumped(reader.step - 1)) {
    for (std::int64_t o = largest_.at(reader.step - 1); o >= 0; --o) {
      const Key key{reader.step - 1, static_cast<std::uint32_t>(o), name};
      if (instances_.contains(key)) return key;
    }
  }
  return {reader.step - 1, 0, name};  // before the window; wraps around at step 0, which is fine
}

std::vector<PlainWalk::Key> PlainWalk::inputs(const Key& reader) const {
  std::vector<Key> keys;
  const Launch* const its_launch = launch(reader.buffer);
  if (its_launch == nullptr || !instances_.contains(reader)) return keys;
  for (const Input& i : its_launch->inputs) keys.push_back(input(reader, i));
  return keys;
}

PlainWalk::State PlainWalk::state(const Key& key) {
  if (const auto known = states_.find(key); known != states_.end()) return known->second;
  State& result = states_[key];
  if (!was_dumped(key.step)) {
    // Before the window: its carried-in capture says what it was.
    std::set<Found> captured;
    for (const ProfileBuffer& b : profile_.buffers) {
      if (b.carries != key.buffer) continue;
      for (const auto& [capture, found] : instances_) {
        if (capture.step == key.step + 1 && capture.buffer == b.name) captured.insert(found);
      }
    }
    result = captured.contains(Found::diverged)   ? State::diverged
             : captured == std::set{Found::equal} ? State::equal
                                                  : State::unknown;
    return result;
  }
  const auto found = instances_.find(key);
  if (found == instances_.end()) return result = State::unknown;
  if (found->second == Found::equal) return result = State::equal;
  if (found->second == Found::diverged) return result = State::diverged;
  bool tainted = false;
  if (const Launch* its_launch = launch(key.buffer)) {
    for (const int output : its_launch->outputs) {
      const auto sibling = instances_.find(
          {key.step, key.occurrence, profile_.buffers[static_cast<std::size_t>(output)].name});
      tainted |= sibling != instances_.end() && sibling->second == Found::diverged;
    }
  }
  for (const Key& i : inputs(key)) {
    const State s = state(i);
    tainted |= s == State::diverged || s == State::tainted;
  }
  return states_[key] = tainted ? State::tainted : State::unknown;
}

void PlainWalk::explore(const Key& key, Distance distance, Ancestors& ancestors) {
  const Launch* const its_launch = launch(key.buffer);
  if (its_launch == nullptr || !instances_.contains(key)) return;
  for (const Input& i : its_launch->inputs) {
    const Key behind = input(key, i);
    const Distance there{distance.lag + i.lag, distance.launches + 1};
    if (there.lag > kMaxLag || state(behind) == State::equal) continue;
    const auto [known, is_new] = ancestors.emplace(behind, there);
    if (!is_new && known->second <= there) continue;
    known->second = there;
    explore(behind, there, ancestors);
  }
}

std::string PlainWalk::labelled(const std::string& name, int lag) {
  return lag == 0 ? name : name + "[-" + std::to_string(lag) + "]";
}

std::vector<std::string> PlainWalk::undumped(const Ancestors& ancestors,
                                             std::string& groups) const {
  std::map<std::string, Distance> nearest;
  for (const auto& [key, distance] : ancestors) {
    const auto [known, is_new] = nearest.emplace(key.buffer, distance);
    if (!is_new) known->second = std::min(known->second, distance);
  }
  std::vector<std::tuple<Distance, std::pair<int, int>, std::string>> ordered;
  std::set<char> letters;
  for (const auto& [name, distance] : nearest) {
    ordered.emplace_back(distance, place(name), labelled(name, distance.lag));
    letters.insert(buffer(name).group);
  }
  std::sort(ordered.begin(), ordered.end());
  std::vector<std::string> names;
  for (const auto& item : ordered) names.push_back(std::get<2>(item));
  groups.assign(letters.begin(), letters.end());
  return names;
}

std::optional<FirstDivergence> PlainWalk::first_divergence() {
  std::optional<std::uint64_t> first_step;
  for (const auto& [step, groups] : diverged_groups_) {
    if (!first_step) first_step = step;
  }
  if (!first_step) return std::nullopt;
  FirstDivergence result;
  result.step = *first_step;
  for (const auto& [letter, diverged] : diverged_groups_[*first_step]) result.groups += letter;

  std::vector<Key> origins;
  for (const auto& [key, found] : instances_) {
    if (key.step != *first_step || found != Found::diverged) continue;
    const std::vector<Key> its_inputs = inputs(key);
    if (std::none_of(its_inputs.begin(), its_inputs.end(), [this](const Key& i) {
          return state(i) == State::diverged || state(i) == State::tainted;
        })) {
      origins.push_back(key);
    }
  }
  std::sort(origins.begin(), origins.end(), [this](const Key& a, const Key& b) {
    const auto order = [this](const Key& k) {
      const auto [launch_number, output] = place(k.buffer);
      return launch_number == 0
                 ? std::tuple(k.occurrence, 0, std::uint64_t(output), 0)
                 : std::tuple(k.occurrence, launch_number, first_index_.at(k), output);
    };
    return order(a) < order(b);
  });

  std::vector<Ancestors> ancestors_of;
  std::map<Key, std::size_t> shared_by;
  for (const Key& key : origins) {
    Origin origin;
    origin.buffer = key.buffer;
    origin.group = buffer(key.buffer).group;
    origin.occurrence = key.occurrence;
    Ancestors ancestors;
    if (const Launch* its_launch = launch(key.buffer)) {
      const Maker& maker = profile_.makers[static_cast<std::size_t>(its_launch->maker)];
      origin.kernel = maker.name;
      origin.site = its_launch->site;
      origin.kind = maker.kind;
      const std::vector<Key> its_inputs = inputs(key);
      const bool all_equal = std::all_of(its_inputs.begin(), its_inputs.end(),
                                         [this](const Key& i) { return state(i) == State::equal; });
      origin.claim = maker.kind == MakerKind::host ? Claim::external
                     : all_equal                   ? Claim::proven
                                                   : Claim::suspected;
      if (origin.claim == Claim::suspected) explore(key, {}, ancestors);
    } else {
      origin.claim = buffer(key.buffer).carries.empty() ? Claim::suspected : Claim::external;
    }
    origin.undumped_inputs = undumped(ancestors, origin.undumped_groups);
    for (const auto& [ancestor, distance] : ancestors) ++shared_by[ancestor];
    ancestors_of.push_back(ancestors);
    result.origins.push_back(origin);
  }

  // The lowest instance that the most origins share.
  std::size_t most = 1;
  for (const auto& [key, count] : shared_by) most = std::max(most, count);
  const Key* lowest = nullptr;
  const auto made = [this](const Key& k) {
    return std::tuple(k.step + 1, k.occurrence, place(k.buffer));  // + 1: before step 0 comes first
  };
  for (const auto& [key, count] : shared_by) {
    if (most >= 2 && count == most && (!lowest || made(key) > made(*lowest))) lowest = &key;
  }
  for (std::size_t i = 0; lowest && i < origins.size(); ++i) {
    const auto found = ancestors_of[i].find(*lowest);
    if (found == ancestors_of[i].end()) continue;
    if (result.sharing.empty()) {
      result.common_undumped_ancestor = labelled(lowest->buffer, found->second.lag);
    }
    result.sharing.push_back(origins[i].buffer);
  }

  std::sort(strangers_[*first_step].begin(), strangers_[*first_step].end());
  for (const auto& [name, occurrence, group] : strangers_[*first_step]) {
    Origin origin;
    origin.buffer = name;
    origin.group = group;
    origin.occurrence = occurrence;
    result.origins.push_back(origin);
  }
  result.occurrence = result.origins.front().occurrence;
  for (const Origin& origin : result.origins) {
    result.occurrence = std::min(result.occurrence, origin.occurrence);
  }
  return result;
}

}  // namespace foxhunt::test
