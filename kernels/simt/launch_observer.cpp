// SPDX-License-Identifier: MIT
#include "kernels/simt/launch_observer.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "dump/format/error.h"
#include "kernels/simt/arena.h"
#include "kernels/simt/engine.h"
#include "kernels/simt/symbols.h"

namespace foxhunt::simt {
namespace {

std::vector<LaunchRecord>* observed = nullptr;
bool inside = false;  // between a launch of kernels and its end

std::vector<std::uint64_t> digests_of_device_memory() {
  std::vector<std::uint64_t> digests;
  for_each_device_allocation([&](const char* memory, std::size_t bytes) {
    digests.push_back(std::hash<std::string_view>()(std::string_view(memory, bytes)));
  });
  return digests;
}

bool makes_a_difference(const LaunchRecord& a, const LaunchRecord& b) {
  if (a.before.size() != b.before.size() || a.after.size() != b.after.size() ||
      a.before.size() != a.after.size()) {
    return true;
  }
  for (std::size_t i = 0; i < a.before.size(); ++i) {
    if (a.before[i] == b.before[i] && a.after[i] != b.after[i]) return true;
  }
  return false;
}

}  // namespace

LaunchObserver::LaunchObserver(std::vector<LaunchRecord>& records) {
  FOXHUNT_ASSERT(observed == nullptr);
  observed = &records;
}

LaunchObserver::~LaunchObserver() { observed = nullptr; }

std::string first_to_differ(const std::vector<LaunchRecord>& a,
                            const std::vector<LaunchRecord>& b) {
  const std::size_t both = std::min(a.size(), b.size());
  for (std::size_t i = 0; i < both; ++i) {
    if (a[i].kernels != b[i].kernels) break;  // not the same launches any more
    if (makes_a_difference(a[i], b[i])) return b[i].kernels;
  }
  for (std::size_t i = 0; i < both; ++i) {
    if (a[i].kernels != b[i].kernels || a[i].after != b[i].after) return b[i].kernels;
  }
  return "";
}

void note_launch(const std::vector<Grid*>& grids) {
  if (observed == nullptr) return;
  std::string kernels;
  for (const Grid* grid : grids) {
    if (grid->kernel->entry == nullptr) continue;  // a copy
    if (!kernels.empty()) kernels += ", ";
    kernels += function_name(grid->kernel->entry);
  }
  inside = !kernels.empty();
  if (inside) observed->push_back({kernels, digests_of_device_memory(), {}});
}

void note_launch_done() {
  if (observed == nullptr || !inside) return;
  inside = false;
  observed->back().after = digests_of_device_memory();
}

}  // namespace foxhunt::simt
