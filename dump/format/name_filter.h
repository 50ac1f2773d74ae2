// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace foxhunt {

// Chooses buffers by group and name: in one of the groups (empty: any), matched by some `include`
// pattern (none given: any) and by no `exclude` pattern. Patterns are ECMAScript regular
// expressions searched for anywhere in the name, as grep does.
class NameFilter {
 public:
  NameFilter();  // everything
  // Throws Error bad_argument for a pattern that is no regular expression, or a group that is not
  // a lower-case letter. `groups` is letters with optional commas: "gh", "g,h".
  NameFilter(std::string_view groups, const std::vector<std::string>& include,
             const std::vector<std::string>& exclude);

  bool accepts(char group, std::string_view name) const;
  // Whether the letter was listed, not merely let through because no letter was.
  bool names_group(char group) const noexcept;
  bool accepts_everything() const noexcept;

 private:
  struct Patterns;  // keeps <regex> out of this header
  std::string groups_;
  std::shared_ptr<const Patterns> patterns_;
};

// One pattern, for rules such as `--tolerance REGEX=…`. Throws like NameFilter.
class NamePattern {
 public:
  explicit NamePattern(const std::string& pattern);
  bool matches(std::string_view name) const;

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace foxhunt
