// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "dump/capture/posix_file.h"
#include "dump/format/manifest.h"

namespace foxhunt {

// A directory that this process has claimed for one run (of one rank). Files are made beneath it by
// plain name only, never over one that is there, and never through a symbolic link.
class RunDirectory {
 public:
  // Makes the directory, its parents too, and places the manifest there with one rename. With a
  // world size over 1 the last component must be rank_<R>.
  //
  // Throws Error: bad_argument if the directory holds a run already, or other ranks of another run
  // stand beside it (nothing is changed then); io where the system refuses.
  RunDirectory(const std::filesystem::path& path, const Manifest& manifest);

  const std::filesystem::path& path() const noexcept { return path_; }
  std::uint64_t manifest_bytes() const noexcept { return manifest_bytes_; }

  // A new file, open for writing. Throws Error io. `flags` are added to those of open(2).
  FileDescriptor create(const std::string& name, int flags = 0) const;
  // A new file that shows up whole or not at all. Throws Error io.
  void publish(const std::string& name, std::string_view text) const;
  // Removes one of the files that create() made. Trouble is left alone.
  void remove(const std::string& name) const noexcept;
  std::string full_name(std::string_view name) const;

  // Bytes that the disk has left for this user; the largest number where it cannot tell.
  std::uint64_t free_bytes() const noexcept;

 private:
  std::filesystem::path path_;
  FileDescriptor directory_;
  std::uint64_t manifest_bytes_ = 0;
};

}  // namespace foxhunt
