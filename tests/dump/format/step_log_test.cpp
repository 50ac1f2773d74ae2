// SPDX-License-Identifier: MIT
#include "dump/format/step_log.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/test_seed.h"

namespace foxhunt {
namespace {

using testing::HasSubstr;

// Writes logs as the dumper does.
class LogText {
 public:
  void step(std::uint64_t step, std::size_t records) {
    std::string text;
    for (std::size_t i = 0; i < records; ++i) {
      Record r;
      r.sequence = total_++;
      r.step = step;
      r.occurrence = static_cast<std::uint32_t>(i / 3);
      r.group = static_cast<char>('a' + i % 26);
      const std::string name = fmt::format("buffer_{}", i);
      r.name = name;
      r.shape = "4x8";
      r.bytes = 128;
      r.form = i % 2 == 0 ? Form::full : Form::digest;
      if (r.form == Form::full) r.payload = {i, ~i};
      r.chunked = {i * 3, i * 5};
      r.words_at = i;
      append_record(text, r);
    }
    running_.update(text);
    text_ += text;
    text.clear();
    append_commit(text, {step, records, total_, running_.value()});
    running_.update(text);
    text_ += text;
  }
  const std::string& text() const { return text_; }
  std::uint64_t running() const { return running_.value(); }

 private:
  std::string text_;
  std::uint64_t total_ = 0;
  RunningCheck running_;
};

// Hands out at most `piece` bytes a call.
StepLogReader reader_of(std::string text, std::size_t piece = 1 << 20) {
  return StepLogReader(
      [text = std::move(text), piece, at = std::size_t{0}](std::span<char> out) mutable {
        const std::size_t take = std::min({out.size(), piece, text.size() - at});
        std::copy_n(text.begin() + static_cast<std::ptrdiff_t>(at), take, out.begin());
        at += take;
        return take;
      },
      "log");
}

std::size_t steps_read(StepLogReader& reader) {
  std::size_t steps = 0;
  while (reader.next()) ++steps;
  return steps;
}

TEST(StepLog, RoundTripsARecord) {
  Record r;
  r.sequence = 17, r.step = 3, r.occurrence = 2, r.group = 'g', r.name = "sampled_h_t";
  r.dtype = DType::bf16, r.shape = "2x3", r.bytes = 12, r.payload = {1, 2}, r.chunked = {3, 4};
  r.words_at = 99;
  std::string text;
  append_record(text, r);
  EXPECT_THAT(text,
              testing::StartsWith("buf 17 3 2 g sampled_h_t bf16 2x3 12 full 0000000000000001"));
  ASSERT_EQ(text.back(), '\n');
  const auto read = parse_record(std::string_view(text).substr(0, text.size() - 1));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->sequence, 17u);
  EXPECT_EQ(read->occurrence, 2u);
  EXPECT_EQ(read->name, "sampled_h_t");
  EXPECT_EQ(read->shape, "2x3");
  EXPECT_EQ(read->dtype, DType::bf16);
  EXPECT_EQ(read->payload, r.payload);
  EXPECT_EQ(read->chunked, r.chunked);
  EXPECT_EQ(read->words_at, 99u);
}

TEST(StepLog, RefusesARecordWithAnyOneCharacterChanged) {
  LogText log;
  log.step(3, 1);
  const std::string line = log.text().substr(0, log.text().find('\n'));
  ASSERT_TRUE(parse_record(line));
  for (std::size_t i = 0; i < line.size(); ++i) {
    std::string changed = line;
    changed[i] = changed[i] == '1' ? '2' : '1';
    EXPECT_FALSE(parse_record(changed)) << changed;
  }
}

// With valid check words, so that the fields themselves are judged.
TEST(StepLog, RefusesFieldsThatMakeNoSense) {
  const std::string digest(32, '0');
  const auto line = [](const std::string& body) {
    return body + fmt::format(" {:016x}", check_word(body));
  };
  ASSERT_TRUE(parse_record(line("buf 0 0 0 g x f32 2 8 digest - " + digest + " 0")));
  for (const std::string& body : {
           "buf 0 0 0 g x f32 2 9 digest - " + digest + " 0",  // bytes
           "buf 0 0 0 g x f33 2 8 digest - " + digest + " 0",  // dtype
           "buf 0 0 0 g x " + std::string(1, '\0') + "f32 2 8 digest - " + digest + " 0",
           "buf 0 0 0 g ../x f32 2 8 digest - " + digest + " 0",        // name
           "buf 0 0 0 G x f32 2 8 digest - " + digest + " 0",           // group
           "buf 0 0 4294967296 g x f32 2 8 digest - " + digest + " 0",  // occurrence
           "buf 00 0 0 g x f32 2 8 digest - " + digest + " 0",          // leading zero
           "buf 0 0 0 g x f32 2 8 digest " + digest + " " + digest + " 0",
           "buf 0 0 0 g x f32 2 8 full - " + digest + " 0",
           "buf 0 0 0 g x f32 2 8 digest - " + digest + " 0 0",  // too many fields
           "buf 0 0 0 g x f32 2 8 digest - " + digest + " 0 ",   // a space at the end
           "buf 0 0 0 g x f32 2 8 digest - " + digest,           // too few
           "buf 0 0 0 g  x f32 2 8 digest - " + digest + " 0",   // doubled space
           "buf 0 0 0 g x f64 4611686018427387904x2 0 digest - " + digest + " 0",  // overflow
       }) {
    EXPECT_FALSE(parse_record(line(body))) << body;
  }
}

TEST(StepLogReader, ReadsWhatWasWrittenHoweverItArrives) {
  LogText log;
  log.step(0, 5);
  log.step(1, 0);
  log.step(7, 3000);
  for (const std::size_t piece : {1u, 7u, 4096u, 1u << 20}) {
    auto reader = reader_of(log.text(), piece);
    auto step = reader.next();
    ASSERT_TRUE(step);
    EXPECT_EQ(step->records.size(), 5u);
    EXPECT_EQ(step->records[4].name, "buffer_4");
    step = reader.next();
    ASSERT_TRUE(step);
    EXPECT_EQ(step->step, 1u);
    EXPECT_TRUE(step->records.empty());
    step = reader.next();
    ASSERT_TRUE(step);
    EXPECT_EQ(step->records.size(), 3000u);
    EXPECT_EQ(step->records[2999].name, "buffer_2999");
    EXPECT_FALSE(reader.next());
    EXPECT_EQ(reader.tail(), StepLogReader::Tail::clean);
    EXPECT_EQ(reader.running_check(), log.running());
    EXPECT_EQ(reader.records(), 3005u);
  }
}

TEST(StepLogReader, ReadsAnEmptyLog) {
  auto reader = reader_of("");
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.tail(), StepLogReader::Tail::clean);
}

TEST(StepLogReader, ReadsEveryCommittedStepOfALogCutAnywhere) {
  LogText log;
  std::vector<std::size_t> ends;
  for (std::uint64_t s = 0; s < 4; ++s) {
    log.step(s, 3);
    ends.push_back(log.text().size());
  }
  for (std::size_t cut = 0; cut <= log.text().size(); ++cut) {
    auto reader = reader_of(log.text().substr(0, cut));
    const auto expected = static_cast<std::size_t>(
        std::count_if(ends.begin(), ends.end(), [cut](std::size_t end) { return end <= cut; }));
    EXPECT_EQ(steps_read(reader), expected) << cut;
    const bool at_commit = cut == 0 || std::count(ends.begin(), ends.end(), cut) == 1;
    EXPECT_EQ(reader.tail(),
              at_commit ? StepLogReader::Tail::clean : StepLogReader::Tail::unfinished)
        << cut << reader.tail_message();
  }
}

TEST(StepLogReader, NeverTrustsAStepWithAFlippedBit) {
  LogText log;
  log.step(0, 3);
  const std::size_t first_end = log.text().size();
  log.step(1, 3);
  for (std::size_t i = first_end; i < log.text().size(); ++i) {
    std::string text = log.text();
    text[i] = static_cast<char>(text[i] ^ 4);
    auto reader = reader_of(text);
    EXPECT_EQ(steps_read(reader), 1u) << i;
    EXPECT_NE(reader.tail(), StepLogReader::Tail::clean) << i;
  }
}

TEST(StepLogReader, NoticesStepsThatWereTakenOutOrRepeated) {
  LogText log;
  log.step(0, 2);
  const std::size_t first = log.text().size();
  log.step(1, 2);
  auto without_first = reader_of(log.text().substr(first));
  EXPECT_EQ(steps_read(without_first), 0u);
  EXPECT_EQ(without_first.tail(), StepLogReader::Tail::damaged);
  auto twice = reader_of(log.text() + log.text().substr(first));
  EXPECT_EQ(steps_read(twice), 2u);
  EXPECT_EQ(twice.tail(), StepLogReader::Tail::damaged);
}

TEST(StepLogReader, BoundsALineThatNeverEnds) {
  std::size_t handed_out = 0;
  StepLogReader reader(
      [&handed_out](std::span<char> out) {
        std::fill(out.begin(), out.end(), 'x');
        handed_out += out.size();
        return out.size();
      },
      "log");
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.tail(), StepLogReader::Tail::damaged);
  EXPECT_LT(handed_out, 1u << 20);
  EXPECT_THAT(reader.tail_message(), HasSubstr("line of over"));
}

}  // namespace
}  // namespace foxhunt
