// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "dump/capture/device_capture.h"
#include "dump/capture/hash_helper.h"
#include "dump/capture/run_directory.h"
#include "dump/format/digest.h"
#include "dump/format/manifest.h"
#include "dump/format/step_log.h"

namespace foxhunt {

// One buffer of a step that is being recorded. Whoever writes its bytes fills the digests in.
struct Capture {
  std::uint32_t occurrence = 0;
  char group = 'a';
  DType dtype = DType::f32;
  Form form = Form::full;
  std::string name, shape;  // the shape as the log has it
  std::uint64_t bytes = 0;

  Digest128 payload;  // form full only
  Digest128 chunked;
  std::vector<std::uint64_t> words;
};

// A step and its captures in execution order; their addresses hold while it lives.
struct OpenStep {
  std::uint64_t number = 0;
  std::deque<Capture> captures;
};

// Writes one run into a run directory. Its states are those of dump/FORMAT.md: the constructor
// leaves it open, finish() complete or cut; without finish() it stays open.
//
// Every call throws Error io where the system refuses; what was committed before stays readable.
// write_host() by one thread at a time; the rest by any thread.
class RunWriter {
 public:
  // Throws as RunDirectory does.
  RunWriter(const std::filesystem::path& path, const Manifest& manifest);

  const RunDirectory& directory() const noexcept { return directory_; }

  // Bytes that a capture and its share of the log take at most.
  static std::uint64_t bytes_needed(const Capture& capture) noexcept;

  // Writes the payload (form full) and fills in the digests. `data` is `capture.bytes` long and not
  // needed any more when the call returns.
  void write_host(std::uint64_t step, Capture& capture, const void* data);

  // Does the same with pieces as they arrive. The sink keeps `step` alive, and the writer must
  // outlive the sink.
  std::unique_ptr<PieceSink> sink_for(std::shared_ptr<OpenStep> step, Capture& capture);

  // Makes the step part of the run: chunk words, then records and commit line in one write. Every
  // capture is complete, and nothing has been committed after finish().
  void commit(const OpenStep& step);

  // Removes what was written of a step that will never be committed. Its captures are done.
  void discard(const OpenStep& step) noexcept;

  // Places the end marker.
  void finish(EndState state, const std::string& reason);

 private:
  RunDirectory directory_;
  std::string run_id_;
  HashHelper helper_;

  std::mutex mutex_;  // guards what follows
  FileDescriptor log_, words_;
  RunningCheck running_;
  std::uint64_t committed_ = 0, records_ = 0, words_written_ = 0;
};

}  // namespace foxhunt
