// SPDX-License-Identifier: MIT
#include "tests/support/run_fixture.h"

#include <fstream>
#include <span>
#include <utility>

#include "dump/format/error.h"
#include "dump/format/file_name.h"
#include "dump/format/step_log.h"
#include "tests/support/temporary_directory.h"

namespace foxhunt::test {
namespace {

void append_file(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::app);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw Error(Errc::io, "{}: cannot be written", path.string());
}

}  // namespace

RunFixture::RunFixture(std::filesystem::path directory, Kind kind)
    : directory_(std::move(directory)), kind_(kind) {
  std::filesystem::create_directories(directory_);
  const std::string text = directory_.string();
  manifest_.run_id = format_digest(payload_digest(std::as_bytes(std::span(text))));
  manifest_.started_at = "2026-12-01T03:23:45Z";
  manifest_.mode = kind == Kind::digest ? DumpMode::digest : DumpMode::full;
  manifest_.steps = "all";
  manifest_.profile.name = "fixture";
}

void RunFixture::write_manifest() {
  if (kind_ == Kind::bare || std::exchange(manifest_written_, true)) return;
  write_file(directory_ / kManifestFile, manifest_to_json(manifest_));
  write_file(directory_ / kStepLogFile, "");
  write_file(directory_ / kChunkWordsFile, "");
}

void RunFixture::step(std::uint64_t step, const std::vector<FixtureBuffer>& buffers) {
  write_manifest();
  std::string text;
  for (const FixtureBuffer& buffer : buffers) {
    if (kind_ != Kind::digest) {
      write_file(directory_ / dump_file_name(step, buffer.occurrence, buffer.group, buffer.name),
                 buffer.bytes);
    }
    if (kind_ == Kind::bare) continue;

    const std::string shape_text =
        format_shape(buffer.shape.value_or(Shape{buffer.bytes.size() / dtype_size(buffer.dtype)}));
    BufferHasher hasher(kind_ == Kind::full);
    hasher.update(std::as_bytes(std::span(buffer.bytes)));
    const BufferHasher::Result hashed = hasher.finish();

    Record record;
    record.sequence = records_++;
    record.step = step;
    record.occurrence = buffer.occurrence;
    record.group = buffer.group;
    record.dtype = buffer.dtype;
    record.form = kind_ == Kind::full ? Form::full : Form::digest;
    record.name = buffer.name;
    record.shape = shape_text;
    record.bytes = buffer.bytes.size();
    if (hashed.payload) record.payload = *hashed.payload;
    record.chunked = hashed.chunked;
    record.words_at = words_;
    append_record(text, record);
    append_file(directory_ / kChunkWordsFile, bytes_of(hashed.words));
    words_ += hashed.words.size();
  }
  ++steps_;
  if (kind_ == Kind::bare) return;

  running_.update(text);
  const std::size_t commit_at = text.size();
  append_commit(text, {step, buffers.size(), records_, running_.value()});
  running_.update(std::string_view(text).substr(commit_at));
  append_file(directory_ / kStepLogFile, text);
}

void RunFixture::finish(EndState state, std::string reason) {
  write_manifest();
  if (kind_ == Kind::bare) return;
  EndMarker marker;
  marker.run_id = manifest_.run_id;
  marker.state = state;
  marker.reason = std::move(reason);
  marker.committed_steps = steps_;
  marker.records = records_;
  marker.running_check = running_.value();
  marker.finished_at = "2026-12-01T03:24:00Z";
  write_file(directory_ / kMarkerFile, end_marker_to_json(marker));
}

}  // namespace foxhunt::test
