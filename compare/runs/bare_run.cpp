// SPDX-License-Identifier: MIT
#include "compare/runs/bare_run.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "dump/format/file_name.h"
#include "dump/format/profile_json.h"

namespace foxhunt {

BareRun::BareRun(std::unique_ptr<Directory> directory) : Run(std::move(directory)) {
  std::unordered_map<std::string, std::uint32_t> known;  // by group letter and name
  directory_->for_each_name([&](std::string_view file_name) {
    if (!claims_to_be_dump(file_name)) return;
    std::string why;
    const auto parsed = parse_dump_file_name(file_name, &why);
    if (!parsed) {
      add_problem("bad_name", file_name,
                  "starts with step_ but " + why +
                      ", so it was not compared; rename it to step_<N>_<g>_<name>.bin or move it "
                      "out of the run");
      return;
    }
    const auto [at, is_new] = known.try_emplace(parsed->group + parsed->name,
                                                static_cast<std::uint32_t>(buffers_.size()));
    if (is_new) buffers_.push_back({parsed->group, parsed->name, 0, std::nullopt});
    files_.push_back({parsed->step, parsed->occurrence, at->second});
  });
}

std::vector<std::uint32_t> execution_order(const Profile& profile) {
  std::vector<std::uint32_t> by_launch(profile.buffers.size());
  std::iota(by_launch.begin(), by_launch.end(), 0u);
  std::stable_sort(by_launch.begin(), by_launch.end(), [&](std::uint32_t a, std::uint32_t b) {
    return static_cast<unsigned>(profile.buffers[a].launch) <  // -1, made by nobody, comes last
           static_cast<unsigned>(profile.buffers[b].launch);
  });
  std::vector<std::uint32_t> order(profile.buffers.size());
  for (std::uint32_t i = 0; i < by_launch.size(); ++i) order[by_launch[i]] = i;
  return order;
}

void BareRun::sort_files() {
  const Profile& profile = profile_ != nullptr ? *profile_ : builtin_profile();
  const auto order = execution_order(profile);
  for (Buffer& buffer : buffers_) {
    buffer.order = ~std::uint32_t{0};
    const ProfileBuffer* const known = profile.find(buffer.name, buffer.group);
    if (known == nullptr) continue;
    buffer.order = order[static_cast<std::size_t>(known - profile.buffers.data())];
    buffer.dtype = known->dtype;
  }
  std::sort(files_.begin(), files_.end(), [this](const File& a, const File& b) {
    const Buffer &x = buffers_[a.buffer], &y = buffers_[b.buffer];
    return std::tie(a.step, a.occurrence, x.order, x.group, x.name) <
           std::tie(b.step, b.occurrence, y.order, y.group, y.name);
  });
  sorted_ = true;
}

std::optional<Run::Step> BareRun::next_step() {
  if (!sorted_) sort_files();
  if (next_ == files_.size()) return std::nullopt;
  const std::uint64_t step = files_[next_].step;
  entries_.clear();
  for (; next_ < files_.size() && files_[next_].step == step; ++next_) {
    const Buffer& buffer = buffers_[files_[next_].buffer];
    Entry& entry = entries_.emplace_back();
    entry.step = step;
    entry.occurrence = files_[next_].occurrence;
    entry.group = buffer.group;
    entry.name = buffer.name;
    entry.dtype = buffer.dtype;
    entry.sequence = next_;
  }
  return Step{step, entries_};
}

}  // namespace foxhunt
