// SPDX-License-Identifier: MIT
// dump/FORMAT.md against the code: its example is read, and its numbers are the constants.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <regex>

#include "dump/format/error.h"
#include "dump/format/file_name.h"
#include "dump/format/manifest.h"
#include "dump/format/profile_json.h"
#include "dump/format/step_log.h"
#include "tests/support/temporary_directory.h"

namespace foxhunt {
namespace {

using testing::HasSubstr;

const std::string& document() {
  static const std::string text = test::read_file(FOXHUNT_SOURCE_DIR "/dump/FORMAT.md");
  return text;
}

// The code blocks of a language, in order.
std::vector<std::string> blocks(const std::string& language) {
  std::vector<std::string> found;
  const std::string open = "```" + language + "\n";
  for (std::size_t at = document().find(open); at != std::string::npos;
       at = document().find(open, at)) {
    at += open.size();
    const std::size_t end = document().find("```", at);
    found.push_back(document().substr(at, end - at));
    at = end + 3;
  }
  return found;
}

struct Example {
  std::vector<std::pair<std::uint64_t, std::vector<std::string>>> steps;  // file names, by step
  std::uint64_t records = 0, running_check = 0;
};

Example read_log() {
  const std::string log = blocks("log").at(0);
  std::size_t at = 0;
  StepLogReader reader(
      [&](std::span<char> out) {
        const std::size_t size = std::min(out.size(), log.size() - at);
        std::memcpy(out.data(), log.data() + at, size);
        at += size;
        return size;
      },
      "FORMAT.md");
  Example example;
  while (const auto step = reader.next()) {
    auto& files = example.steps.emplace_back(step->step, std::vector<std::string>()).second;
    for (const Record& r : step->records) {
      if (r.form != Form::full) continue;
      files.push_back(dump_file_name(r.step, r.occurrence, r.group, r.name));
    }
  }
  EXPECT_EQ(reader.tail(), StepLogReader::Tail::clean) << reader.tail_message();
  example.records = reader.records();
  example.running_check = reader.running_check();
  return example;
}

TEST(FormatDocument, DrawsALogThatReads) {
  const Example example = read_log();
  EXPECT_EQ(example.steps.size(), 2u);
  EXPECT_EQ(example.records, 6u);
  for (const auto& [step, files] : example.steps) {
    for (const std::string& file : files) EXPECT_THAT(blocks("text").at(0), HasSubstr(file));
  }
}

TEST(FormatDocument, DrawsAManifestAndAnEndThatBelongToTheLog) {
  const auto json = blocks("json");
  ASSERT_EQ(json.size(), 2u);
  const Manifest manifest = manifest_from_json(json[0], "FORMAT.md");
  EXPECT_EQ(manifest_to_json(manifest), json[0]);
  const EndMarker end = end_marker_from_json(json[1], "FORMAT.md");
  EXPECT_EQ(end_marker_to_json(end), json[1]);
  EXPECT_EQ(end.run_id, manifest.run_id);
  EXPECT_EQ(end.records, read_log().records);
  EXPECT_EQ(end.committed_steps, read_log().steps.size());
  EXPECT_EQ(end.running_check, read_log().running_check);
}

TEST(FormatDocument, DigestsTheBytesOfItsExample) {
  const std::vector<float> values = {0, 1, 2, 3};
  const auto bytes = std::as_bytes(std::span(values));
  std::vector<std::uint64_t> words(1);
  chunk_words(bytes, words);
  EXPECT_THAT(document(), HasSubstr(fmt::format("sampled_h_t f32 2x2 16 full {} {} 1 ",
                                                format_digest(payload_digest(bytes)),
                                                format_digest(chunked_digest(words, 16)))));
}

TEST(FormatDocument, NamesTheFilesAndLimitsOfTheCode) {
  for (const char* name : {kManifestFile, kStepLogFile, kChunkWordsFile, kMarkerFile}) {
    EXPECT_THAT(blocks("text").at(0), HasSubstr(name));
  }
  EXPECT_THAT(document(), HasSubstr(fmt::format("format {}\n", kFormatVersion)));
  EXPECT_THAT(document(), HasSubstr(fmt::format("1 to {} of", kMaxBufferName)));
  EXPECT_THAT(document(), HasSubstr(fmt::format("at most {} MiB", kMaxManifestBytes >> 20)));
  EXPECT_THAT(document(), HasSubstr(fmt::format("chunks of {} KiB", kChunkBytes >> 10)));
  EXPECT_THAT(document(), HasSubstr(fmt::format("a multiple of {} KiB", kChunkPadding >> 10)));
  EXPECT_THAT(document(), HasSubstr(fmt::format("at most {} extents", kMaxRank)));
  EXPECT_THAT(document(), HasSubstr(fmt::format("at most {} printable", kMaxProfileName)));
  EXPECT_EQ(kMaxLogLine, 1024u);
  EXPECT_THAT(document(), HasSubstr("1,024 bytes"));
  EXPECT_EQ(kMaxRecordsPerStep, 1048576u);
  EXPECT_THAT(document(), HasSubstr("1,048,576"));
  EXPECT_EQ(kMaxProfileBuffers, 8192u);
  EXPECT_THAT(document(), HasSubstr("at most 8,192"));
  EXPECT_EQ(kMaxProfileInputs, 65536u);
  EXPECT_THAT(document(), HasSubstr("at most 65,536"));
  for (const DType type : kAllDTypes) {
    EXPECT_THAT(document(), HasSubstr(fmt::format("`{}`", dtype_name(type))));
  }
}

// A key that the table calls required must be missed, and no other.
void expect_required(const std::string& text, std::string_view heading,
                     void (*read)(const std::string&)) {
  const std::size_t start = document().find(heading);
  const std::string section = document().substr(start, document().find("\n## ", start + 1) - start);
  const std::regex row("\n\\| (`[^|]*) \\|([^\n]*)\\|(?=\n)"), key("`([a-z_]+)`");
  int rows = 0;
  for (std::sregex_iterator r(section.begin(), section.end(), row), none; r != none; ++r) {
    const std::string keys = (*r)[1], meaning = (*r)[2];
    const bool required = meaning.find("Required") != std::string::npos;
    for (std::sregex_iterator k(keys.begin(), keys.end(), key); k != none; ++k) {
      std::string without = text;
      const std::string quoted = "\"" + (*k)[1].str() + "\": ";
      const std::size_t at = without.find(quoted);
      if (at == std::string::npos) continue;  // not in the example
      ++rows;
      without.replace(at, quoted.size(), "\"renamed\": ");
      if (required) {
        EXPECT_THROW(read(without), Error) << quoted;
      } else {
        EXPECT_NO_THROW(read(without)) << quoted;
      }
    }
  }
  EXPECT_GT(rows, 5);
}

TEST(FormatDocument, SaysWhichKeysAreRequired) {
  const auto json = blocks("json");
  expect_required(json.at(0), "## foxhunt-manifest.json",
                  [](const std::string& text) { manifest_from_json(text, ""); });
  expect_required(json.at(1), "## foxhunt-end.json",
                  [](const std::string& text) { end_marker_from_json(text, ""); });
  const std::string profile(manifest_head_from_json(json.at(0), "").profile_text);
  expect_required(profile, "## The profile",
                  [](const std::string& text) { profile_from_json(text, ""); });
}

}  // namespace
}  // namespace foxhunt
