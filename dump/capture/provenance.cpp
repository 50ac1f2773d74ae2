// SPDX-License-Identifier: MIT
#include "dump/capture/provenance.h"

#include <sys/utsname.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "dump/capture/git_commit.h"
#include "dump/format/digest.h"
#include "dump/format/error.h"

namespace foxhunt {
namespace {

constexpr std::size_t kMaxValue = 32 * 1024;  // a value of the manifest is for reading

// Bytes of the well-formed UTF-8 sequence at the front of `text`, 0 where there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const bool overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool surrogate = first == 0xed && byte(1) >= 0xa0;
  const bool too_large = first == 0xf4 && byte(1) >= 0x90;
  return overlong || surrogate || too_large ? 0 : length;
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

template <class Escape>
std::string escaped(std::string_view bytes, const Escape& needs_escape) {
  std::string text;
  while (!bytes.empty()) {
    const std::size_t length = utf8_length(bytes);
    if (length == 0 || needs_escape(bytes[0])) {
      fmt::format_to(std::back_inserter(text), "\\x{:02x}", static_cast<unsigned char>(bytes[0]));
      bytes.remove_prefix(1);
    } else {
      text += bytes.substr(0, length);
      bytes.remove_prefix(length);
    }
  }
  return text;
}

std::string quote_word(std::string_view word) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-+=./:,@%^").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return std::string(word);
  const std::string text = escaped(word, [](char c) { return is_control(c); });
  if (text == word && word.find('\'') == std::string_view::npos) {
    return fmt::format("'{}'", word);
  }
  return "$'" + escaped(word, [](char c) { return is_control(c) || c == '\'' || c == '\\'; }) + "'";
}

// The end of a very long value is replaced by its digest, so that a difference there still shows.
std::string bounded(std::string value) {
  if (value.size() <= kMaxValue) return value;
  const std::uint64_t check = check_word(value);
  std::string_view head = std::string_view(value).substr(0, kMaxValue);
  // Not in the middle of a character.
  while (!head.empty() && (static_cast<unsigned char>(value[head.size()]) & 0xc0) == 0x80) {
    head.remove_suffix(1);
  }
  return fmt::format("{}… ({} bytes, XXH3-64 {:016x})", head, value.size(), check);
}

bool is_recorded(std::string_view name) {
  if (name == "FOXHUNT_DETERMINISM_DIR") return false;
  for (const std::string_view prefix : {"FOXHUNT_", "CUDA_", "CUBLAS_", "NCCL_", "OMP_"}) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

std::string read_command_line() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

std::string escape_controls(std::string_view bytes) { return escaped(bytes, is_control); }

std::string quote_command(std::string_view cmdline) {
  std::string command;
  while (!cmdline.empty()) {
    const std::size_t end = std::min(cmdline.find('\0'), cmdline.size());
    if (!command.empty()) command += ' ';
    command += quote_word(cmdline.substr(0, end));
    cmdline.remove_prefix(std::min(end + 1, cmdline.size()));
  }
  return command;
}

std::map<std::string, std::string> find_provenance(const char* const* environment) {
  std::map<std::string, std::string> found;
  found["foxhunt"] = FOXHUNT_VERSION;
  if (std::string command = quote_command(read_command_line()); !command.empty()) {
    found["argv"] = bounded(std::move(command));
  }
  std::error_code no_directory;
  const auto here = std::filesystem::current_path(no_directory);
  if (std::string commit = no_directory ? "" : git_commit_at(here); !commit.empty()) {
    found["git_commit"] = std::move(commit);
  }
  if (utsname system; uname(&system) == 0) {
    found["host"] = escape_controls(system.nodename);
    found["kernel"] = escape_controls(fmt::format("{} {}", system.sysname, system.release));
  }
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos || !is_recorded(entry.substr(0, equals))) continue;
    found["env." + escape_controls(entry.substr(0, equals))] =
        bounded(escape_controls(entry.substr(equals + 1)));
  }
  return found;
}

}  // namespace foxhunt
