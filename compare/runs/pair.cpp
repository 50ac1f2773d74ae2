// SPDX-License-Identifier: MIT
#include "compare/runs/pair.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "dump/format/error.h"

namespace foxhunt {
namespace {

bool same_key(const Entry& a, const Entry& b) noexcept {
  return a.occurrence == b.occurrence && a.group == b.group && a.name == b.name;
}

struct KeyHash {
  std::size_t operator()(const Entry* e) const noexcept {
    return std::hash<std::string_view>{}(e->name) + e->occurrence * 0x9e3779b97f4a7c15u +
           static_cast<unsigned char>(e->group);
  }
};
struct KeyEqual {
  bool operator()(const Entry* a, const Entry* b) const noexcept { return same_key(*a, *b); }
};

// For runs that made the same buffers in another order, or not the same buffers.
std::vector<Pair> align_by_key(std::span<const Entry> a, std::span<const Entry> b) {
  std::unordered_map<const Entry*, std::size_t, KeyHash, KeyEqual> in_a;
  for (std::size_t i = 0; i < a.size(); ++i) in_a.emplace(&a[i], i);
  std::vector<const Entry*> partner(a.size());
  std::vector<std::pair<std::size_t, const Entry*>> only_in_b;  // behind that many entries of a
  std::size_t behind = 0;
  for (const Entry& entry : b) {
    const auto found = in_a.find(&entry);
    if (found == in_a.end()) {
      only_in_b.emplace_back(behind, &entry);
    } else {
      partner[found->second] = &entry;
      behind = found->second + 1;
    }
  }
  std::stable_sort(only_in_b.begin(), only_in_b.end(),
                   [](const auto& x, const auto& y) { return x.first < y.first; });
  std::vector<Pair> pairs;
  pairs.reserve(a.size() + only_in_b.size());
  auto next = only_in_b.begin();
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (; next != only_in_b.end() && next->first == i; ++next) {
      pairs.push_back({nullptr, next->second});
    }
    if (i < a.size()) pairs.push_back({&a[i], partner[i]});
  }
  return pairs;
}

std::string describe(const Entry& entry) {
  return fmt::format("{} {}", entry.dtype ? dtype_name(*entry.dtype) : "unknown dtype",
                     entry.shape.empty() ? "of unknown shape" : entry.shape);
}

}  // namespace

std::vector<Pair> align(std::span<const Entry> a, std::span<const Entry> b) {
  // Nearly always both runs made the same buffers in the same order.
  if (a.size() != b.size() || !std::equal(a.begin(), a.end(), b.begin(), same_key)) {
    return align_by_key(a, b);
  }
  std::vector<Pair> pairs(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) pairs[i] = {&a[i], &b[i]};
  return pairs;
}

Contract agree(const Entry& a, const Entry& b) {
  Contract contract;
  const auto refuse = [&] {
    contract.comparable = false;
    contract.why = fmt::format("{} in a, {} in b", describe(a), describe(b));
    return contract;
  };
  contract.dtype = a.dtype ? a.dtype : b.dtype;
  if (a.logged != b.logged) {
    contract.dtype = a.logged ? a.dtype : b.dtype;  // a bare run's is only what a profile says
  } else if (a.dtype && b.dtype && *a.dtype != *b.dtype) {
    return refuse();
  }
  const auto shape_a = a.shape.empty() ? std::nullopt : parse_shape(a.shape);
  if (b.shape.empty() || a.shape == b.shape) {
    contract.shape = shape_a;
    return contract;
  }
  const auto shape_b = parse_shape(b.shape);
  if (!shape_a) {
    contract.shape = shape_b;
    return contract;
  }
  // Another number of rows is a divergence of the data; any other change, of the contract.
  if (shape_a->empty() || shape_a->size() != shape_b->size() ||
      !std::equal(shape_a->begin() + 1, shape_a->end(), shape_b->begin() + 1)) {
    return refuse();
  }
  return contract;
}

}  // namespace foxhunt
