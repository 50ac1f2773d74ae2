// SPDX-License-Identifier: MIT
#include "compare/runs/provenance.h"

#include <map>
#include <string>

#include "dump/format/error.h"

namespace foxhunt {
namespace {

std::map<std::string, std::string> flatten(const Manifest& manifest) {
  std::map<std::string, std::string> all = manifest.provenance;
  all["dump.mode"] = manifest.mode == DumpMode::full ? "full" : "digest";
  all["dump.steps"] = manifest.steps;
  all["dump.groups"] = manifest.groups;
  all["dump.include"] = fmt::format("{}", fmt::join(manifest.include, " "));
  all["dump.exclude"] = fmt::format("{}", fmt::join(manifest.exclude, " "));
  all["dump.max_bytes"] = fmt::format("{}", manifest.max_bytes);
  all["world_size"] = fmt::format("{}", manifest.world_size);
  return all;
}

std::string name_of_profile(Run& run) {
  return fmt::format("{} with {} buffers", run.profile()->name, run.profile()->buffers.size());
}

}  // namespace

std::vector<ProvenanceDifference> provenance_differences(Run& a, Run& b) {
  std::vector<ProvenanceDifference> differences;
  if (!a.manifest() && !b.manifest()) return differences;
  if (!a.manifest() || !b.manifest()) {
    const auto name = [](const Run& run) {
      return std::string(run.manifest() ? "present"
                                        : "none: a bare run does not say how it was made");
    };
    differences.push_back({"manifest", name(a), name(b)});
    return differences;
  }
  auto of_a = flatten(*a.manifest()), of_b = flatten(*b.manifest());
  if (a.profile_text() != b.profile_text()) {
    of_a["profile"] = name_of_profile(a);
    of_b["profile"] = name_of_profile(b) + " (not the same)";
  }
  for (const auto& [key, value] : of_a) {
    const auto other = of_b.find(key);
    const std::string theirs = other == of_b.end() ? "" : other->second;
    if (value != theirs) differences.push_back({key, value, theirs});
    if (other != of_b.end()) of_b.erase(other);
  }
  for (const auto& [key, value] : of_b) differences.push_back({key, "", value});
  return differences;
}

}  // namespace foxhunt
