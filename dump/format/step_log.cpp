// SPDX-License-Identifier: MIT
#include "dump/format/step_log.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "dump/format/error.h"
#include "dump/format/file_name.h"
#include "dump/format/numbers.h"

namespace foxhunt {
namespace {

constexpr std::string_view kRecordTag = "buf ";
constexpr std::string_view kCommitTag = "commit ";
constexpr std::size_t kCheckDigits = 16, kDigestDigits = 32;
constexpr std::size_t kDigitsThatFit = 19;  // of a decimal number in 64 bits, whatever they are
constexpr std::size_t kBlockBytes = 256 * 1024;

void append_check(std::string& out, std::size_t line_start) {
  const std::uint64_t check = check_word(std::string_view(out).substr(line_start));
  fmt::format_to(std::back_inserter(out), " {:016x}\n", check);
}

// Splits a line at single spaces. Empty fields are kept, so that doubled spaces are noticed. A log
// may hold millions of lines: most fields are a few characters, which a plain loop reads fastest.
class Fields {
 public:
  explicit Fields(std::string_view line) : at_(line.data()), end_(line.data() + line.size()) {}

  std::string_view next() noexcept {
    const char* const begin = at_;
    while (at_ != end_ && *at_ != ' ') ++at_;
    const std::string_view field(begin, static_cast<std::size_t>(at_ - begin));
    skip_space();
    return field;
  }

  // Takes a decimal number as parse_decimal() does, no larger than `max`.
  bool number(std::uint64_t& value, std::uint64_t max = ~std::uint64_t{0}) noexcept {
    const char* const begin = at_;
    std::uint64_t parsed = 0;
    for (; at_ != end_ && *at_ != ' '; ++at_) {
      const auto digit = static_cast<unsigned char>(*at_ - '0');
      if (digit > 9) return false;
      parsed = parsed * 10 + digit;
    }
    const auto length = static_cast<std::size_t>(at_ - begin);
    if (length == 0 || (length > 1 && *begin == '0')) return false;
    if (length > kDigitsThatFit) {
      const auto exact = parse_decimal({begin, length});
      if (!exact) return false;
      parsed = *exact;
    }
    if (parsed > max) return false;
    value = parsed;
    skip_space();
    return true;
  }

  // The next field if it is just `length` long; else whatever next() says.
  std::string_view next_of(std::size_t length) noexcept {
    const auto left = static_cast<std::size_t>(end_ - at_);
    if (left < length || (left > length && at_[length] != ' ')) return next();
    const std::string_view field(at_, length);
    at_ += length;
    skip_space();
    return field;
  }

  bool at_end() const noexcept { return at_ == end_ && !space_at_end_; }

 private:
  void skip_space() noexcept {
    if (at_ == end_) return;
    ++at_;
    space_at_end_ = at_ == end_;
  }

  const char* at_;
  const char* end_;
  bool space_at_end_ = false;
};

// The line without its check word, or nothing if that does not hold.
std::optional<std::string_view> checked(std::string_view line) noexcept {
  if (line.size() <= kCheckDigits || line[line.size() - kCheckDigits - 1] != ' ')
    return std::nullopt;
  const auto expected = parse_hex64(line.substr(line.size() - kCheckDigits));
  line.remove_suffix(kCheckDigits + 1);
  if (!expected || *expected != check_word(line)) return std::nullopt;
  return line;
}

// Elements in a shape's text, without building it; nothing where parse_shape would refuse.
std::optional<std::uint64_t> elements_in(std::string_view shape) noexcept {
  if (shape == "-") return 1;
  std::uint64_t count = 1;
  bool overflow = false, zero = false;
  for (std::size_t rank = 1;; ++rank) {
    const std::size_t cut = shape.find('x');
    const auto extent = parse_decimal(shape.substr(0, cut));
    if (!extent || rank > kMaxRank) return std::nullopt;
    zero |= *extent == 0;
    overflow |= *extent != 0 && __builtin_mul_overflow(count, *extent, &count);
    if (cut == std::string_view::npos) break;
    shape.remove_prefix(cut + 1);
  }
  if (zero) return 0;
  if (overflow) return std::nullopt;
  return count;
}

}  // namespace

void append_record(std::string& out, const Record& r) {
  const std::size_t start = out.size();
  fmt::format_to(std::back_inserter(out), "buf {} {} {} {} {} {} {} {} {} ", r.sequence, r.step,
                 r.occurrence, r.group, r.name, dtype_name(r.dtype), r.shape, r.bytes,
                 r.form == Form::full ? "full" : "digest");
  if (r.form == Form::full) {
    fmt::format_to(std::back_inserter(out), "{:016x}{:016x}", r.payload.high, r.payload.low);
  } else {
    out += '-';
  }
  fmt::format_to(std::back_inserter(out), " {:016x}{:016x} {}", r.chunked.high, r.chunked.low,
                 r.words_at);
  append_check(out, start);
}

void append_commit(std::string& out, const Commit& c) {
  const std::size_t start = out.size();
  fmt::format_to(std::back_inserter(out), "commit {} {} {} {:016x}", c.step, c.count, c.total,
                 c.running);
  append_check(out, start);
}

std::optional<Record> parse_record(std::string_view line) noexcept {
  const auto body = checked(line);
  if (!body || !body->starts_with(kRecordTag)) return std::nullopt;
  Fields fields(body->substr(kRecordTag.size()));
  Record r;
  std::uint64_t occurrence = 0;
  if (!fields.number(r.sequence) || !fields.number(r.step) ||
      !fields.number(occurrence, ~std::uint32_t{0})) {
    return std::nullopt;
  }
  r.occurrence = static_cast<std::uint32_t>(occurrence);
  const std::string_view group = fields.next();
  r.name = fields.next();
  const auto dtype = parse_dtype(fields.next());
  r.shape = fields.next();
  if (group.size() != 1 || !is_group(group[0]) || !is_buffer_name(r.name) || !dtype ||
      !fields.number(r.bytes)) {
    return std::nullopt;
  }
  r.group = group[0];
  r.dtype = *dtype;
  const auto elements = elements_in(r.shape);
  std::uint64_t bytes = 0;
  if (!elements || __builtin_mul_overflow(*elements, dtype_size(r.dtype), &bytes) ||
      bytes != r.bytes) {
    return std::nullopt;
  }
  const std::string_view form = fields.next();
  const std::string_view payload = form == "full" ? fields.next_of(kDigestDigits) : fields.next();
  if (form == "full") {
    const auto digest = parse_digest(payload);
    if (!digest) return std::nullopt;
    r.payload = *digest;
  } else if (form == "digest" && payload == "-") {
    r.form = Form::digest;
  } else {
    return std::nullopt;
  }
  const auto chunked = parse_digest(fields.next_of(kDigestDigits));
  if (!chunked || !fields.number(r.words_at) || !fields.at_end()) return std::nullopt;
  r.chunked = *chunked;
  return r;
}

std::optional<Commit> parse_commit(std::string_view line) noexcept {
  const auto body = checked(line);
  if (!body || !body->starts_with(kCommitTag)) return std::nullopt;
  Fields fields(body->substr(kCommitTag.size()));
  Commit c;
  if (!fields.number(c.step) || !fields.number(c.count) || !fields.number(c.total)) {
    return std::nullopt;
  }
  const auto running = parse_hex64(fields.next());
  if (!running || !fields.at_end()) return std::nullopt;
  c.running = *running;
  return c;
}

StepLogReader::StepLogReader(Source read, std::string where)
    : read_(std::move(read)), where_(std::move(where)) {
  running_after_commit_ = running_.value();
}

bool StepLogReader::fill() {
  if (at_end_) return false;
  if (begin_ > 0) {
    std::memmove(block_.data(), block_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    scanned_ -= begin_;
    begin_ = 0;
  }
  if (block_.size() < end_ + kBlockBytes) block_.resize(end_ + kBlockBytes);
  const std::size_t got = read_(std::span(block_).subspan(end_, kBlockBytes));
  end_ += got;
  at_end_ = got == 0;
  return !at_end_;
}

void StepLogReader::stop(Tail tail, std::string message) {
  tail_ = tail;
  tail_message_ = fmt::format("{}: {}", where_, message);
  records_.clear();
  done_ = true;
}

std::optional<StepLogReader::Step> StepLogReader::next() {
  if (done_) return std::nullopt;
  // First find the step's commit line, so that the records can point into a block that stays put.
  std::size_t lines = 0, line_start = begin_;
  scanned_ = begin_;
  std::size_t commit_start = 0, commit_end = 0;
  while (true) {
    const std::size_t end = text().find('\n', scanned_);
    if (end == std::string_view::npos) {
      scanned_ = end_;
      const std::size_t moved = begin_;
      if (scanned_ - line_start > kMaxLogLine) {
        stop(Tail::damaged,
             fmt::format("a line of over {} bytes after step {}", kMaxLogLine, last()));
        return std::nullopt;
      }
      if (fill()) {
        line_start -= moved;
        continue;
      }
      if (scanned_ > begin_) {
        stop(Tail::unfinished,
             fmt::format(
                 "the last {} bytes, after the commit of step {}, are of a step that was never "
                 "finished: its writer was stopped",
                 scanned_ - begin_, last()));
      }
      done_ = true;
      return std::nullopt;
    }
    scanned_ = end + 1;
    if (text().substr(line_start, end - line_start).starts_with(kCommitTag)) {
      commit_start = line_start;
      commit_end = end;
      break;
    }
    line_start = end + 1;
    if (++lines > kMaxRecordsPerStep) {
      stop(Tail::damaged,
           fmt::format("over {} records in the step after step {}", kMaxRecordsPerStep, last()));
      return std::nullopt;
    }
  }

  const std::string_view text = this->text();
  const auto damaged = [this](const std::string& what) {
    stop(Tail::damaged, what + fmt::format("; steps up to {} can be read", last()));
    return std::nullopt;
  };
  const auto commit = parse_commit(text.substr(commit_start, commit_end - commit_start));
  if (!commit) return damaged("the commit line after the next records is damaged");
  running_.update(text.substr(begin_, commit_start - begin_));
  if (commit->running != running_.value()) {
    return damaged(fmt::format("the commit line of step {} does not match what stands before it",
                               commit->step));
  }
  if (last_step_ && commit->step <= *last_step_) {
    return damaged(fmt::format("step {} is committed after step {}", commit->step, *last_step_));
  }
  records_.clear();
  for (std::size_t at = begin_; at < commit_start;) {
    const std::size_t end = text.find('\n', at);
    const auto record = parse_record(text.substr(at, end - at));
    if (!record || record->step != commit->step || record->sequence != total_ + records_.size()) {
      return damaged(fmt::format("record {} of step {} is damaged", records_.size(), commit->step));
    }
    records_.push_back(*record);
    at = end + 1;
  }
  if (commit->count != records_.size() || commit->total != total_ + records_.size()) {
    return damaged(fmt::format("the commit line of step {} counts {} records, but {} are there",
                               commit->step, commit->count, records_.size()));
  }
  running_.update(text.substr(commit_start, commit_end + 1 - commit_start));
  running_after_commit_ = running_.value();
  begin_ = commit_end + 1;
  last_step_ = commit->step;
  ++committed_;
  total_ += records_.size();
  return Step{commit->step, records_};
}

std::string StepLogReader::last() const {
  return last_step_ ? fmt::format("{}", *last_step_) : std::string("none");
}

}  // namespace foxhunt
