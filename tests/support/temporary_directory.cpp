// SPDX-License-Identifier: MIT
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

#include "dump/format/error.h"

namespace foxhunt::test {

TemporaryDirectory::TemporaryDirectory() {
  std::string pattern = (std::filesystem::temp_directory_path() / "foxhunt-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    throw Error(Errc::io, "{}: cannot be made: {}", pattern, errno_text(errno));
  }
  path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
  if (testing::Test::HasFailure()) {
    std::cerr << "kept for a look: " << path_ << "\n";
    return;
  }
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw Error(Errc::io, "{}: cannot be written", path.string());
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(Errc::io, "{}: cannot be read", path.string());
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

}  // namespace foxhunt::test
