// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string_view>

namespace foxhunt::test {

// A fresh directory that goes away with the object, unless the current test has failed: then it
// stays, and its path is printed.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

// Whole files, as bytes. Throw Error io.
void write_file(const std::filesystem::path& path, std::string_view bytes);
std::string read_file(const std::filesystem::path& path);

}  // namespace foxhunt::test
