// SPDX-License-Identifier: MIT
#include "dump/format/name_filter.h"

#include <algorithm>
#include <regex>

#include "dump/format/error.h"
#include "dump/format/file_name.h"

namespace foxhunt {

struct NamePattern::Compiled {
  std::regex regex;
};

NamePattern::NamePattern(const std::string& pattern) {
  try {
    compiled_ = std::make_shared<const Compiled>(
        Compiled{std::regex(pattern, std::regex::ECMAScript | std::regex::optimize)});
  } catch (const std::regex_error& e) {
    throw Error(Errc::bad_argument, "\"{}\" is not a regular expression: {}", pattern, e.what());
  }
}

bool NamePattern::matches(std::string_view name) const {
  return std::regex_search(name.begin(), name.end(), compiled_->regex);
}

struct NameFilter::Patterns {
  std::vector<NamePattern> include, exclude;
};

NameFilter::NameFilter() = default;

NameFilter::NameFilter(std::string_view groups, const std::vector<std::string>& include,
                       const std::vector<std::string>& exclude) {
  for (const char letter : groups) {
    if (letter == ',') continue;
    if (!is_group(letter)) {
      throw Error(Errc::bad_argument,
                  "groups \"{}\": '{}' is not a group; write letters such as g,h,i", groups,
                  letter);
    }
    groups_ += letter;
  }
  if (include.empty() && exclude.empty()) return;
  auto patterns = std::make_shared<Patterns>();
  for (const std::string& text : include) patterns->include.emplace_back(text);
  for (const std::string& text : exclude) patterns->exclude.emplace_back(text);
  patterns_ = std::move(patterns);
}

bool NameFilter::accepts(char group, std::string_view name) const {
  if (!groups_.empty() && !names_group(group)) return false;
  if (!patterns_) return true;
  const auto matches = [name](const NamePattern& pattern) { return pattern.matches(name); };
  const auto& [include, exclude] = *patterns_;
  return (include.empty() || std::any_of(include.begin(), include.end(), matches)) &&
         std::none_of(exclude.begin(), exclude.end(), matches);
}

bool NameFilter::names_group(char group) const noexcept {
  return groups_.find(group) != std::string::npos;
}

bool NameFilter::accepts_everything() const noexcept { return groups_.empty() && !patterns_; }

}  // namespace foxhunt
