// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace foxhunt::test {

// Sets environment variables and puts them back as they were.
class ScopedEnvironment {
 public:
  ScopedEnvironment() = default;
  ~ScopedEnvironment();
  ScopedEnvironment(const ScopedEnvironment&) = delete;
  ScopedEnvironment& operator=(const ScopedEnvironment&) = delete;

  void set(const std::string& name, const std::string& value);
  void unset(const std::string& name);
  // Unsets every variable that arms the dumper or tells it its rank, and makes its state unread.
  void clear();

 private:
  void remember(const std::string& name);
  std::vector<std::pair<std::string, std::optional<std::string>>> before_;
};

}  // namespace foxhunt::test
