// SPDX-License-Identifier: MIT
#include <algorithm>

#include "dump/format/error.h"
#include "dump/format/profile.h"

namespace foxhunt {
namespace {

std::vector<Extent> extents_of(std::vector<ProfileBuilder::Dim> dims) {
  std::vector<Extent> extents;
  for (ProfileBuilder::Dim& dim : dims) extents.push_back(std::move(dim.extent));
  return extents;
}

template <class Item>
int index_of(const std::vector<Item>& items, std::string_view name) {
  const auto found = std::find_if(items.begin(), items.end(),
                                  [name](const Item& item) { return item.name == name; });
  return found == items.end() ? -1 : static_cast<int>(found - items.begin());
}

}  // namespace

using LaunchBuilder = ProfileBuilder::LaunchBuilder;

LaunchBuilder& LaunchBuilder::reads(std::string_view buffer, int lag) {
  owner_->launches_[index_].reads.emplace_back(buffer, lag);
  return *this;
}

LaunchBuilder& LaunchBuilder::makes(std::string_view buffer) {
  owner_->launches_[index_].makes.emplace_back(buffer);
  return *this;
}

ProfileBuilder::ProfileBuilder(std::string name) { draft_.name = std::move(name); }

ProfileBuilder& ProfileBuilder::bind(std::string symbol, std::uint64_t size) {
  for (const auto& [bound, value] : bound_) {
    if (bound == symbol && value != size) {
      mistakes_.push_back(fmt::format("symbol {} is bound to {} and to {}", symbol, value, size));
    }
  }
  bound_.emplace_back(std::move(symbol), size);
  return *this;
}

ProfileBuilder& ProfileBuilder::group(char letter, std::string title) {
  draft_.groups.push_back({letter, std::move(title)});
  return *this;
}

ProfileBuilder& ProfileBuilder::buffer(std::string name, char group, DType dtype,
                                       std::vector<Dim> shape) {
  ProfileBuffer& buffer = draft_.buffers.emplace_back();
  buffer.name = std::move(name);
  buffer.group = group;
  buffer.dtype = dtype;
  buffer.shape = extents_of(std::move(shape));
  return *this;
}

ProfileBuffer* ProfileBuilder::last_buffer(const char* what) {
  if (!draft_.buffers.empty()) return &draft_.buffers.back();
  mistakes_.push_back(fmt::format("{} comes before any buffer", what));
  return nullptr;
}

ProfileBuilder& ProfileBuilder::valid_extent(std::vector<Dim> extents) {
  if (auto* last = last_buffer("valid_extent")) last->valid_extent = extents_of(std::move(extents));
  return *this;
}

ProfileBuilder& ProfileBuilder::order_free() {
  if (auto* last = last_buffer("order_free")) last->order_free = true;
  return *this;
}

ProfileBuilder& ProfileBuilder::meaning(Meaning meaning) {
  if (auto* last = last_buffer("meaning")) last->meaning = meaning;
  return *this;
}

ProfileBuilder& ProfileBuilder::once_per_step() {
  if (auto* last = last_buffer("once_per_step")) last->cadence = Cadence::step;
  return *this;
}

ProfileBuilder& ProfileBuilder::carries(std::string buffer) {
  if (auto* last = last_buffer("carries")) last->carries = std::move(buffer);
  return *this;
}

ProfileBuilder& ProfileBuilder::maker(std::string name, MakerKind kind, Determinism determinism,
                                      std::string advice) {
  draft_.makers.push_back({std::move(name), kind, determinism, std::move(advice)});
  return *this;
}

ProfileBuilder& ProfileBuilder::kernel(std::string name, Determinism determinism,
                                       std::string advice) {
  return maker(std::move(name), MakerKind::kernel, determinism, std::move(advice));
}

LaunchBuilder ProfileBuilder::launch(std::string_view maker, std::string site) {
  launches_.push_back({std::string(maker), std::move(site), {}, {}});
  return LaunchBuilder(*this, launches_.size() - 1);
}

ProfileBuilder& ProfileBuilder::pattern(Pattern pattern) {
  draft_.patterns.push_back(std::move(pattern));
  return *this;
}

Profile ProfileBuilder::build() const {
  Profile profile = draft_;
  std::vector<std::string> wrong = mistakes_;
  for (const auto& [symbol, size] : bound_) profile.bind(symbol, size);
  for (const NamedLaunch& named : launches_) {
    const auto resolve = [&](const std::string& name, const char* verb) {
      const int index = index_of(profile.buffers, name);
      if (index < 0) {
        wrong.push_back(fmt::format("{} {} {}, which is not declared", named.maker, verb, name));
      }
      return index;
    };
    Launch& launch = profile.launches.emplace_back();
    launch.maker = index_of(profile.makers, named.maker);
    if (launch.maker < 0) {
      launch.maker = static_cast<int>(profile.makers.size());
      profile.makers.push_back({named.maker, MakerKind::kernel, Determinism::unknown, ""});
    }
    launch.site = named.site;
    for (const auto& [name, lag] : named.reads) {
      if (const int index = resolve(name, "reads"); index >= 0) {
        launch.inputs.push_back({index, lag});
      }
    }
    for (const std::string& name : named.makes) {
      if (const int index = resolve(name, "makes"); index >= 0) launch.outputs.push_back(index);
    }
  }
  for (std::string& mistake : profile.mistakes()) wrong.push_back(std::move(mistake));
  if (!wrong.empty()) {
    throw Error(Errc::bad_argument, "profile \"{}\": {}", profile.name, fmt::join(wrong, "; "));
  }
  profile.validate();
  return profile;
}

}  // namespace foxhunt
