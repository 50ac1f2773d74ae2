// SPDX-License-Identifier: MIT
#include "kernels/registry/selection.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "dump/format/error.h"

namespace foxhunt {
namespace {

constexpr std::string_view kDeterministic = "deterministic";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string known_kernels() {
  std::vector<std::string_view> names;
  for (const KernelVariant& v : kernel_variants()) {
    if (names.empty() || names.back() != v.kernel) names.push_back(v.kernel);
  }
  std::sort(names.begin(), names.end());
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string variants_of(std::string_view kernel) {
  std::string names(kDeterministic);
  for (const KernelVariant& v : kernel_variants()) {
    if (v.kernel == kernel) names += fmt::format(", {}", v.name);
  }
  return names;
}

const KernelVariant* find(std::string_view item, std::string_view kernel, std::string_view name) {
  const auto all = kernel_variants();
  if (std::none_of(all.begin(), all.end(),
                   [&](const KernelVariant& v) { return v.kernel == kernel; })) {
    throw Error(Errc::bad_argument, "\"{}\": no kernel \"{}\" has variants; those that do: {}",
                item, kernel, known_kernels());
  }
  if (name == kDeterministic) return nullptr;
  const auto found = std::find_if(all.begin(), all.end(), [&](const KernelVariant& v) {
    return v.kernel == kernel && v.name == name;
  });
  if (found == all.end()) {
    throw Error(Errc::bad_argument, "\"{}\": {} has no variant \"{}\"; it has: {}", item, kernel,
                name, variants_of(kernel));
  }
  return &*found;
}

}  // namespace

void VariantSelection::choose(std::string_view list) {
  decltype(chosen_) chosen;
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    const std::string_view item = trimmed(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
    if (item.empty()) continue;
    const auto equals = item.find('=');
    if (equals == item.npos) {
      throw Error(Errc::bad_argument,
                  "\"{}\": expected kernel=variant, as in reduce_axis0=float_atomics; kernels with "
                  "variants: {}",
                  item, known_kernels());
    }
    const std::string_view kernel = trimmed(item.substr(0, equals));
    const auto* variant = find(item, kernel, trimmed(item.substr(equals + 1)));
    if (!chosen.emplace(kernel, variant).second) {
      throw Error(Errc::bad_argument, "\"{}\": {} is in the list already; name it once", item,
                  kernel);
    }
  }
  chosen.merge(chosen_);
  chosen_ = std::move(chosen);
}

VariantSelection VariantSelection::from_environment() {
  VariantSelection selection;
  const char* list = std::getenv("FOXHUNT_KERNEL_VARIANT");
  if (list == nullptr) return selection;
  try {
    selection.choose(list);
  } catch (const Error& error) {
    throw Error(error.code(), "FOXHUNT_KERNEL_VARIANT: {}", error.what());
  }
  return selection;
}

int VariantSelection::value(std::string_view kernel) const {
  const auto found = chosen_.find(kernel);
  return found == chosen_.end() || found->second == nullptr ? 0 : found->second->value;
}

std::string VariantSelection::text() const {
  std::string text;
  for (const auto& [kernel, variant] : chosen_) {
    if (variant == nullptr) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", kernel, variant->name);
  }
  return text;
}

}  // namespace foxhunt
