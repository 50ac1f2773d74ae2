// SPDX-License-Identifier: MIT
#include "tests/compare/verdict/step_dump.h"

namespace foxhunt::test {

StepDump::StepDump(const Profile& profile, std::string_view groups, std::uint32_t occurrences)
    : profile_(&profile) {
  for (std::uint32_t occurrence = 0; occurrence < occurrences; ++occurrence) {
    for (const ProfileBuffer& buffer : profile.buffers) {
      if (!buffer.carries.empty() || groups.find(buffer.group) == groups.npos) continue;
      if (occurrence > 0 && buffer.cadence == Cadence::step) continue;
      equal(buffer.name, occurrence);
    }
  }
}

StepDump& StepDump::set(std::string_view name, std::uint32_t occurrence, Evidence evidence,
                        std::uint64_t first_index) {
  for (Instance& instance : instances_) {
    if (instance.name == name && instance.occurrence == occurrence) {
      instance.evidence = evidence;
      instance.first_index = first_index;
      return *this;
    }
  }
  const int id = profile_->find(name);
  Instance instance;
  instance.name = names_.emplace_back(name);
  instance.group = id < 0 ? 'x' : profile_->buffers[static_cast<std::size_t>(id)].group;
  instance.occurrence = occurrence;
  instance.evidence = evidence;
  instance.first_index = first_index;
  instances_.push_back(instance);
  return *this;
}

StepDump& StepDump::diverge(std::string_view name, std::uint32_t occurrence,
                            std::uint64_t first_index) {
  return set(name, occurrence, Evidence::diverged, first_index);
}

StepDump& StepDump::unknown(std::string_view name, std::uint32_t occurrence) {
  return set(name, occurrence, Evidence::unknown, 0);
}

StepDump& StepDump::equal(std::string_view name, std::uint32_t occurrence) {
  return set(name, occurrence, Evidence::equal, 0);
}

StepDump& StepDump::diverge_groups(std::string_view groups) {
  for (Instance& instance : instances_) {
    if (groups.find(instance.group) != groups.npos) instance.evidence = Evidence::diverged;
  }
  return *this;
}

StepDump& StepDump::carried_in(std::string_view groups) {
  for (const ProfileBuffer& buffer : profile_->buffers) {
    if (!buffer.carries.empty() && groups.find(buffer.group) != groups.npos) equal(buffer.name);
  }
  return *this;
}

StepDump& StepDump::spread(std::uint32_t factor) {
  for (Instance& instance : instances_) instance.occurrence *= factor;
  return *this;
}

StepDump& StepDump::drop(std::string_view name) {
  std::erase_if(instances_, [name](const Instance& i) { return i.name == name; });
  return *this;
}

}  // namespace foxhunt::test
