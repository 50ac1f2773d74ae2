// SPDX-License-Identifier: MIT
#include "compare/report/profile_file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>

#include "dump/format/error.h"
#include "dump/format/profile_json.h"

namespace foxhunt {

Profile read_profile_file(const std::filesystem::path& path) {
  constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"),
                                                             &std::fclose);
  if (!file) {
    const int error = errno;
    throw Error(error == ENOENT ? Errc::missing : Errc::io, "{}: the profile cannot be opened: {}",
                path.string(), errno_text(error));
  }
  std::string text;
  std::array<char, 64 * 1024> block;
  while (const std::size_t got = std::fread(block.data(), 1, block.size(), file.get())) {
    text.append(block.data(), got);
    if (text.size() > kMaxBytes) {
      throw Error(Errc::limit, "{}: over {} bytes is no profile; name a profile's JSON file",
                  path.string(), kMaxBytes);
    }
  }
  if (std::ferror(file.get()) != 0) {
    throw Error(Errc::io, "{}: the profile cannot be read: {}", path.string(), errno_text(errno));
  }
  return profile_from_json(text, path.string());
}

}  // namespace foxhunt
