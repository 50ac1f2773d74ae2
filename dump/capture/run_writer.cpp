// SPDX-License-Identifier: MIT
#include "dump/capture/run_writer.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <span>
#include <utility>

#include "dump/capture/clock.h"
#include "dump/format/error.h"
#include "dump/format/file_name.h"

namespace foxhunt {
namespace {

// Below this, waking the helper costs more than hashing here.
constexpr std::size_t kHelperBytes = 32 * 1024;
// Beyond this, two hashes one after the other would read memory twice.
constexpr std::size_t kCacheBytes = 256 * 1024;

void take_digests(Capture& capture, BufferHasher::Result&& result) {
  if (result.payload) capture.payload = *result.payload;
  capture.chunked = result.chunked;
  capture.words = std::move(result.words);
}

void hash_here(Capture& capture, std::span<const std::byte> bytes) {
  if (capture.form == Form::full && bytes.size() > kCacheBytes) {
    BufferHasher hasher(/*with_payload_digest=*/true);  // reads memory once for both digests
    hasher.update(bytes);
    take_digests(capture, hasher.finish());
    return;
  }
  if (capture.form == Form::full) capture.payload = payload_digest(bytes);
  capture.words.resize(chunk_count(bytes.size()));
  chunk_words(bytes, capture.words);
  capture.chunked = chunked_digest(capture.words, bytes.size());
}

std::string file_of(std::uint64_t step, const Capture& capture) {
  return dump_file_name(step, capture.occurrence, capture.group, capture.name);
}

class CaptureSink : public PieceSink {
 public:
  CaptureSink(const RunDirectory& directory, std::shared_ptr<OpenStep> step, Capture& capture)
      : directory_(directory),
        step_(std::move(step)),
        capture_(capture),
        hasher_(capture.form == Form::full) {}

  void piece(std::span<const std::byte> bytes) override {
    if (capture_.form == Form::full) {
      const WriteSignalGuard guard;
      open();
      write_all(file_.get(), bytes, where_);
    }
    hasher_.update(bytes);
  }

  void finish() override {
    if (capture_.form == Form::full) {
      const WriteSignalGuard guard;
      open();
      file_.close(where_);
    }
    BufferHasher::Result result = hasher_.finish();
    FOXHUNT_ASSERT(result.bytes == capture_.bytes);
    take_digests(capture_, std::move(result));
  }

 private:
  void open() {
    if (file_.is_open()) return;
    const std::string name = file_of(step_->number, capture_);
    where_ = directory_.full_name(name);
    file_ = directory_.create(name);
  }

  const RunDirectory& directory_;
  std::shared_ptr<OpenStep> step_;
  Capture& capture_;
  BufferHasher hasher_;
  FileDescriptor file_;
  std::string where_;
};

}  // namespace

RunWriter::RunWriter(const std::filesystem::path& path, const Manifest& manifest)
    : directory_(path, manifest),
      run_id_(manifest.run_id),
      log_(directory_.create(kStepLogFile, O_APPEND)),
      words_(directory_.create(kChunkWordsFile, O_APPEND)) {}

std::uint64_t RunWriter::bytes_needed(const Capture& capture) noexcept {
  return (capture.form == Form::full ? capture.bytes : 0) + chunk_count(capture.bytes) * 8 +
         kMaxLogLine;
}

void RunWriter::write_host(std::uint64_t step, Capture& capture, const void* data) {
  const std::span bytes(static_cast<const std::byte*>(data), capture.bytes);
  if (capture.form == Form::digest) return hash_here(capture, bytes);

  const WriteSignalGuard guard;
  const std::string name = file_of(step, capture), where = directory_.full_name(name);
  const bool helped = bytes.size() >= kHelperBytes && helper_.start(bytes);
  try {
    FileDescriptor file = directory_.create(name);
    write_all(file.get(), bytes, where);
    file.close(where);
  } catch (...) {
    if (helped) helper_.finish();  // it reads the caller's memory
    throw;
  }
  if (helped) {
    take_digests(capture, helper_.finish());
  } else {
    hash_here(capture, bytes);
  }
}

std::unique_ptr<PieceSink> RunWriter::sink_for(std::shared_ptr<OpenStep> step, Capture& capture) {
  return std::make_unique<CaptureSink>(directory_, std::move(step), capture);
}

void RunWriter::commit(const OpenStep& step) {
  const std::lock_guard lock(mutex_);
  const WriteSignalGuard guard;
  std::vector<std::uint64_t> words;
  std::string text;
  for (const Capture& capture : step.captures) {
    Record record;
    record.sequence = records_++;
    record.step = step.number;
    record.occurrence = capture.occurrence;
    record.group = capture.group;
    record.dtype = capture.dtype;
    record.form = capture.form;
    record.name = capture.name;
    record.shape = capture.shape;
    record.bytes = capture.bytes;
    record.payload = capture.payload;
    record.chunked = capture.chunked;
    record.words_at = words_written_ + words.size();
    append_record(text, record);
    words.insert(words.end(), capture.words.begin(), capture.words.end());
  }
  running_.update(text);
  const std::size_t commit_at = text.size();
  append_commit(text, {step.number, step.captures.size(), records_, running_.value()});
  running_.update(std::string_view(text).substr(commit_at));

  const std::string log_name = directory_.full_name(kStepLogFile);
  // Writes to a file that nobody can reach any more would succeed.
  struct stat status;
  if (fstat(log_.get(), &status) == 0 && status.st_nlink == 0) {
    throw Error(Errc::io, "{}: has been removed", log_name);
  }
  write_all(words_.get(), std::as_bytes(std::span(words)), directory_.full_name(kChunkWordsFile));
  write_all(log_.get(), text, log_name);
  words_written_ += words.size();
  ++committed_;
}

void RunWriter::discard(const OpenStep& step) noexcept {
  for (const Capture& capture : step.captures) {
    if (capture.form == Form::full) directory_.remove(file_of(step.number, capture));
  }
}

void RunWriter::finish(EndState state, const std::string& reason) {
  const std::lock_guard lock(mutex_);
  const WriteSignalGuard guard;
  log_.close(directory_.full_name(kStepLogFile));
  words_.close(directory_.full_name(kChunkWordsFile));
  EndMarker marker;
  marker.run_id = run_id_;
  marker.state = state;
  marker.reason = reason;
  marker.committed_steps = committed_;
  marker.records = records_;
  marker.running_check = running_.value();
  marker.finished_at = utc_time();
  directory_.publish(kMarkerFile, end_marker_to_json(marker));
}

}  // namespace foxhunt
