// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dump/format/digest.h"
#include "dump/format/dtype.h"
#include "dump/format/shape.h"

namespace foxhunt {

// The step log: text, append-only, one line a record, fields separated by one space:
//
//   buf <seq> <step> <occ> <group> <name> <dtype> <shape> <bytes> <form> <payload> <chunked>
//   <words_at> <check> commit <step> <count> <total> <running> <check>
//
//   seq       of the record in the run, from 0, +1 each: execution order
//   shape     64x16x8; "-" is a scalar
//   form      full: the payload's file is beside the log; digest: it is not
//   payload   32 hex digits, "-" in form digest; chunked: 32 hex digits
//   words_at  index of the buffer's first word in foxhunt-chunks.bin, in words
//   count     records of this step; total: of the run so far
//   running   XXH3-64 of every byte of the log before this line, 16 hex digits
//   check     XXH3-64 of the line up to and without the space before it, 16 hex digits
//
// A step's records and its commit line reach the file in one O_APPEND write. A reader trusts the
// log up to its last valid commit; what follows is a step that never finished.

enum class Form : std::uint8_t { full, digest };

// One buffer as it stood at the end of its producer. `name` and `shape` point into text that the
// holder keeps: the caller's when writing, the reader's block when reading.
struct Record {
  std::uint64_t sequence = 0;
  std::uint64_t step = 0;
  std::uint32_t occurrence = 0;
  char group = 'a';
  DType dtype = DType::f32;
  Form form = Form::full;
  std::string_view name;
  std::string_view shape = "-";
  std::uint64_t bytes = 0;
  Digest128 payload;  // zero in form digest
  Digest128 chunked;
  std::uint64_t words_at = 0;
};

struct Commit {
  std::uint64_t step = 0;
  std::uint64_t count = 0, total = 0;
  std::uint64_t running = 0;
};

inline constexpr std::size_t kMaxLogLine = 1024;
inline constexpr std::uint64_t kMaxRecordsPerStep = 1u << 20;

void append_record(std::string& out, const Record& record);
void append_commit(std::string& out, const Commit& commit);

// Parse one line without its newline. Nothing if anything is off, the check word included: names
// that are no buffer names, shapes whose product does not match `bytes` or overflows, …
std::optional<Record> parse_record(std::string_view line) noexcept;
std::optional<Commit> parse_commit(std::string_view line) noexcept;

// Reads a log step by step in bounded memory.
class StepLogReader {
 public:
  // `read` fills a buffer with the log's next bytes and returns how many, 0 at the end; it throws
  // Error io where it cannot.
  using Source = std::function<std::size_t(std::span<char>)>;
  StepLogReader(Source read, std::string where);

  // The next committed step. The records point into the reader and hold until the next call.
  // Nothing at the log's end.
  struct Step {
    std::uint64_t step = 0;
    std::span<const Record> records;
  };
  std::optional<Step> next();

  // After next() returned nothing: why the log ended.
  enum class Tail {
    clean,       // right after a commit
    unfinished,  // a step's lines without their commit, or half a line: its writer was stopped
    damaged,     // a line that is not what was written, or a count or check that does not hold
  };
  Tail tail() const noexcept { return tail_; }
  const std::string& tail_message() const noexcept { return tail_message_; }  // "" when clean

  std::uint64_t committed_steps() const noexcept { return committed_; }
  std::uint64_t records() const noexcept { return total_; }
  // The running check after the last valid commit line, that line included.
  std::uint64_t running_check() const noexcept { return running_after_commit_; }

 private:
  bool fill();
  std::string_view text() const noexcept { return {block_.data(), end_}; }
  void stop(Tail tail, std::string message);
  std::string last() const;  // the last committed step, for messages

  Source read_;
  std::string where_;
  // What was read and not consumed yet: [begin_, end_) of block_, which only ever grows.
  std::vector<char> block_;
  std::size_t begin_ = 0, end_ = 0, scanned_ = 0;
  bool at_end_ = false, done_ = false;
  RunningCheck running_;
  std::vector<Record> records_;
  std::uint64_t committed_ = 0, total_ = 0, running_after_commit_ = 0;
  std::optional<std::uint64_t> last_step_;
  Tail tail_ = Tail::clean;
  std::string tail_message_;
};

}  // namespace foxhunt
