// SPDX-License-Identifier: MIT
#include "kernels/simt/explore/trace_file.h"

#include <cerrno>
#include <charconv>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

#include "dump/format/error.h"

namespace foxhunt {
namespace {

constexpr std::string_view kMagic = "foxhunt-schedule-trace ";
constexpr std::string_view kVersion = "1";  // on disk

// Takes "<key> <value>\n" off the front of `text`.
std::string_view take_line(std::string_view& text, std::string_view key,
                           const std::filesystem::path& file) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos || text.substr(0, key.size()) != key) {
    throw Error(Errc::format, "{}: no schedule trace: '{}…' was expected where '{}' stands",
                file.string(), key, text.substr(0, std::min<std::size_t>(end, 40)));
  }
  const std::string_view value = text.substr(key.size(), end - key.size());
  text.remove_prefix(end + 1);
  return value;
}

}  // namespace

void save_trace(const std::filesystem::path& file, const StoredTrace& stored) {
  errno = 0;
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << fmt::format("{}{}\ncase {}\nbuild {}\noutcome {:016x}\n", kMagic, kVersion,
                     stored.case_name, stored.build, stored.outcome)
      << stored.trace.text();
  out.close();
  if (!out) throw Error(Errc::io, "{}: cannot be written: {}", file.string(), errno_text(errno));
}

StoredTrace load_trace(const std::filesystem::path& file) {
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    throw Error(errno == ENOENT ? Errc::missing : Errc::io, "{}: cannot be opened: {}",
                file.string(), errno_text(errno));
  }
  const std::string content((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (in.bad()) throw Error(Errc::io, "{}: cannot be read", file.string());

  std::string_view rest = content;
  const std::string_view version = take_line(rest, kMagic, file);
  if (version != kVersion) {
    throw Error(Errc::version, "{}: trace format {}, but this foxhunt reads {}; explore again",
                file.string(), version, kVersion);
  }
  StoredTrace stored;
  stored.case_name = take_line(rest, "case ", file);
  stored.build = take_line(rest, "build ", file);
  const std::string_view outcome = take_line(rest, "outcome ", file);
  const auto [end, error] =
      std::from_chars(outcome.data(), outcome.data() + outcome.size(), stored.outcome, 16);
  if (error != std::errc() || end != outcome.data() + outcome.size()) {
    throw Error(Errc::format, "{}: outcome '{}' is no hexadecimal number", file.string(), outcome);
  }
  try {
    stored.trace = simt::Trace::parse(rest);
  } catch (const Error& problem) {
    throw Error(problem.code(), "{}: {}", file.string(), problem.what());
  }
  return stored;
}

}  // namespace foxhunt
