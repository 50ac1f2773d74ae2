// SPDX-License-Identifier: MIT
#include "tests/bench/compare_bench_runs.h"

#include <fmt/format.h>

#include <cstring>
#include <random>

#include "dump/format/digest.h"
#include "dump/format/file_name.h"
#include "dump/format/manifest.h"
#include "dump/format/step_log.h"
#include "tests/support/run_fixture.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_seed.h"

namespace foxhunt::bench {
namespace {

using test::FixtureBuffer;
using test::RunFixture;

void fill(std::string& bytes, std::mt19937_64& rng) {
  for (std::size_t i = 0; i + sizeof(std::uint64_t) <= bytes.size(); i += sizeof(std::uint64_t)) {
    const std::uint64_t word = rng();
    std::memcpy(bytes.data() + i, &word, sizeof word);
  }
}

// Clears the top exponent bit of every element: finite, whatever the other bits are.
void make_finite(std::string& bytes, std::size_t element) {
  for (std::size_t i = element - 1; i < bytes.size(); i += element) {
    bytes[i] = static_cast<char>(bytes[i] & ~0x40);
  }
}

}  // namespace

RunPair make_equal_pair(const std::filesystem::path& where, std::uint64_t steps, std::size_t files,
                        std::size_t file_bytes) {
  RunPair pair{where / "a", where / "b", {}, 0};
  RunFixture a(pair.a, RunFixture::Kind::full), b(pair.b, RunFixture::Kind::full);
  std::mt19937_64 rng = test::test_rng(1);
  for (std::uint64_t step = 0; step < steps; ++step) {
    std::vector<FixtureBuffer> buffers(files);
    for (std::size_t i = 0; i < files; ++i) {
      buffers[i].name = fmt::format("buffer_{}", i);
      buffers[i].bytes.resize(file_bytes);
      fill(buffers[i].bytes, rng);
      pair.dumps.push_back(dump_file_name(step, 0, buffers[i].group, buffers[i].name));
    }
    a.step(step, buffers);
    b.step(step, buffers);
  }
  a.finish();
  b.finish();
  pair.bytes = steps * files * file_bytes;
  return pair;
}

RunPair make_different_pair(const std::filesystem::path& where, DType dtype, std::size_t bytes) {
  constexpr std::size_t kBuffers = 4;
  RunPair pair{where / "a", where / "b", {}, 0};
  RunFixture a(pair.a, RunFixture::Kind::full), b(pair.b, RunFixture::Kind::full);
  std::mt19937_64 rng = test::test_rng(2);
  std::vector<FixtureBuffer> buffers(kBuffers);
  for (std::size_t i = 0; i < kBuffers; ++i) {
    buffers[i].name = fmt::format("buffer_{}", i);
    buffers[i].dtype = dtype;
    buffers[i].bytes.resize(bytes / kBuffers / sizeof(double) * sizeof(double));
    fill(buffers[i].bytes, rng);
    make_finite(buffers[i].bytes, dtype_size(dtype));
    pair.bytes += buffers[i].bytes.size();
  }
  a.step(0, buffers);
  for (FixtureBuffer& buffer : buffers) {
    for (std::size_t i = 0; i < buffer.bytes.size(); i += dtype_size(dtype)) {
      buffer.bytes[i] = static_cast<char>(buffer.bytes[i] ^ 5);  // the lowest byte: some ULP
    }
  }
  b.step(0, buffers);
  a.finish();
  b.finish();
  return pair;
}

// Written here and not by the fixture, which opens the chunk words' file once a record.
RunPair make_digest_pair(const std::filesystem::path& where, std::uint64_t steps,
                         std::size_t records) {
  RunPair pair{where / "a", where / "b", {}, 0};
  const std::uint64_t value = 1;
  const auto bytes = std::as_bytes(std::span(&value, 1));
  std::uint64_t word = 0;
  chunk_words(bytes, std::span(&word, 1));
  const Digest128 chunked = chunked_digest(std::span(&word, 1), bytes.size());

  std::string log, lines;
  RunningCheck running;
  std::uint64_t total = 0;
  for (std::uint64_t step = 0; step < steps; ++step) {
    lines.clear();
    for (std::size_t i = 0; i < records; ++i) {
      const std::string name = fmt::format("buffer_{}", i);
      Record record;
      record.sequence = total;
      record.step = step;
      record.dtype = DType::u64;
      record.form = Form::digest;
      record.name = name;
      record.shape = "1";
      record.bytes = bytes.size();
      record.chunked = chunked;
      record.words_at = total++;
      append_record(lines, record);
    }
    running.update(lines);
    log += lines;
    lines.clear();
    append_commit(lines, {step, records, total, running.value()});
    running.update(lines);
    log += lines;
  }
  const std::string words = test::bytes_of(std::vector<std::uint64_t>(total, word));

  for (const auto& directory : {pair.a, pair.b}) {
    RunFixture run(directory, RunFixture::Kind::digest);
    run.finish();  // for the manifest; the log and the end marker are replaced
    test::write_file(directory / kStepLogFile, log);
    test::write_file(directory / kChunkWordsFile, words);
    EndMarker marker = end_marker_from_json(test::read_file(directory / kMarkerFile), kMarkerFile);
    marker.committed_steps = steps;
    marker.records = total;
    marker.running_check = running.value();
    test::write_file(directory / kMarkerFile, end_marker_to_json(marker));
  }
  return pair;
}

}  // namespace foxhunt::bench
