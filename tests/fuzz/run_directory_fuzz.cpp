// SPDX-License-Identifier: MIT
// A whole run directory, from files that the input holds one after the other:
//
//     == <file name>\n<bytes>\n== <file name>\n<bytes>
//
// Its step log gets right check words, its end marker what that log holds. It is compared with a
// copy that has another run id: equal bytes never diverge; and with one whose last payload differs
// in one bit: that is never "identical".
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "compare/runs/comparison.h"
#include "dump/format/error.h"
#include "dump/format/file_name.h"
#include "dump/format/manifest.h"
#include "dump/format/step_log.h"
#include "tests/fuzz/right_checks.h"
#include "tests/support/temporary_directory.h"

namespace {

using namespace foxhunt;
using Files = std::map<std::string, std::string>;

Files files_in(std::string_view text) {
  Files files;
  constexpr std::string_view kHead = "== ";
  while (text.starts_with(kHead)) {
    text.remove_prefix(kHead.size());
    const std::size_t line = std::min(text.find('\n'), text.size());
    std::string name(text.substr(0, line));
    text.remove_prefix(std::min(line + 1, text.size()));
    const std::size_t next = text.find("\n== ");
    const std::string_view bytes = text.substr(0, next);
    text.remove_prefix(next == std::string_view::npos ? text.size() : next + 1);
    const bool plain = !name.empty() && name.size() < 256 && name != "." && name != ".." &&
                       name.find_first_of(std::string_view("/\0", 2)) == std::string::npos;
    if (plain && files.size() < 32) files[name] = bytes;
  }
  return files;
}

// Lets the end marker say what the log holds, where both can be read.
void complete(Files& files) {
  const auto log = files.find(kStepLogFile);
  if (log == files.end()) return;
  log->second = fuzz::with_right_checks(log->second);
  const auto marker = files.find(kMarkerFile);
  if (marker == files.end()) return;
  try {
    EndMarker end = end_marker_from_json(marker->second, "");
    std::size_t at = 0;
    StepLogReader reader(
        [&](std::span<char> out) {
          const std::size_t take = std::min(out.size(), log->second.size() - at);
          std::copy_n(log->second.data() + at, take, out.data());
          at += take;
          return take;
        },
        "");
    while (reader.next()) {
    }
    end.committed_steps = reader.committed_steps();
    end.records = reader.records();
    end.running_check = reader.running_check();
    marker->second = end_marker_to_json(end);
  } catch (const Error&) {  // stays as it is
  }
}

void rename_run(Files& files) {
  for (const char* const name : {kManifestFile, kMarkerFile}) {
    const auto file = files.find(name);
    if (file == files.end()) continue;
    const std::size_t at = file->second.find("0123456789abcdef0123456789abcdef");
    if (at != std::string::npos) file->second[at] = 'f';
  }
}

bool flip_a_payload(Files& files) {
  for (auto file = files.rbegin(); file != files.rend(); ++file) {
    if (claims_to_be_dump(file->first) && !file->second.empty()) {
      file->second.back() = static_cast<char>(file->second.back() ^ 1);
      return true;
    }
  }
  return false;
}

void write(const std::filesystem::path& directory, const Files& files) {
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    std::filesystem::remove(entry.path());
  }
  for (const auto& [name, bytes] : files) test::write_file(directory / name, bytes);
}

class CheckedSink : public ResultSink {
  void buffer(const BufferResult& result) override {
    FOXHUNT_ASSERT(is_buffer_name(result.name) && is_group(result.group));
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const test::TemporaryDirectory directory;
  static const std::filesystem::path a = directory / "a", b = directory / "b";
  std::filesystem::create_directories(a);
  std::filesystem::create_directories(b);

  Files files = files_in({reinterpret_cast<const char*>(data), size});
  complete(files);
  write(a, files);
  rename_run(files);
  write(b, files);
  CheckedSink sink;
  CompareOptions options;
  options.jobs = 1;
  options.list_equal = true;
  FOXHUNT_ASSERT(compare_runs(a, b, options, sink).verdict != Verdict::diverged);
  if (flip_a_payload(files)) {
    write(b, files);
    FOXHUNT_ASSERT(compare_runs(a, b, options, sink).verdict != Verdict::identical);
  }
  return 0;
}
