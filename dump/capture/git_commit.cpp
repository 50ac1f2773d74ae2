// SPDX-License-Identifier: MIT
#include "dump/capture/git_commit.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string_view>

namespace foxhunt {
namespace {

constexpr std::size_t kMaxFile = 16 << 20;  // packed-refs of a large repository

std::optional<std::string> read_small(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  const auto size = std::filesystem::file_size(path, error);
  if (error || size > kMaxFile) return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  std::string text(size, '\0');
  in.read(text.data(), static_cast<std::streamsize>(size));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  return text;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find_first_of("\r\n"));
}

bool is_commit(std::string_view text) {
  return (text.size() == 40 || text.size() == 64) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

// `.git` is the repository, or in worktrees and submodules a file that says where it is.
std::optional<std::filesystem::path> repository_of(const std::filesystem::path& directory) {
  const std::filesystem::path dot_git = directory / ".git";
  std::error_code error;
  if (std::filesystem::is_directory(dot_git, error)) return dot_git;
  const auto text = read_small(dot_git);
  constexpr std::string_view kTag = "gitdir: ";
  if (!text || !text->starts_with(kTag)) return std::nullopt;
  return directory / first_line(*text).substr(kTag.size());
}

// A line of packed-refs is "<commit> <ref>".
std::string packed_commit(const std::string& packed, const std::string& ref) {
  const std::string wanted = " " + ref;
  for (std::size_t at = 0; at < packed.size();) {
    const std::size_t end = std::min(packed.find('\n', at), packed.size());
    const std::string_view line = std::string_view(packed).substr(at, end - at);
    if (line.ends_with(wanted) && is_commit(line.substr(0, line.size() - wanted.size()))) {
      return std::string(line.substr(0, line.size() - wanted.size()));
    }
    at = end + 1;
  }
  return "";
}

std::string head_of(const std::filesystem::path& repository) {
  const auto head = read_small(repository / "HEAD");
  if (!head) return "";
  const std::string line = first_line(*head);
  if (is_commit(line)) return line;
  constexpr std::string_view kTag = "ref: ";
  if (!line.starts_with(kTag)) return "";
  const std::string ref = line.substr(kTag.size());
  // The refs of a worktree stand in the repository that it belongs to.
  std::filesystem::path shared = repository;
  if (const auto common = read_small(repository / "commondir")) shared /= first_line(*common);
  for (const auto& place : {repository, shared}) {
    if (const auto loose = read_small(place / ref); loose && is_commit(first_line(*loose))) {
      return first_line(*loose);
    }
  }
  const auto packed = read_small(shared / "packed-refs");
  return packed ? packed_commit(*packed, ref) : "";
}

}  // namespace

std::string git_commit_at(const std::filesystem::path& from) noexcept {
  try {
    for (std::filesystem::path at = std::filesystem::absolute(from).lexically_normal();;
         at = at.parent_path()) {
      if (const auto repository = repository_of(at)) return head_of(*repository);
      if (at == at.parent_path()) return "";
    }
  } catch (...) {
    return "";
  }
}

}  // namespace foxhunt
