// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/runs/comparison.h"

namespace foxhunt {

// Hands every result to several sinks.
class Fanout final : public ResultSink {
 public:
  void add(ResultSink& sink) { sinks_.push_back(&sink); }
  void buffer(const BufferResult& result) override {
    for (ResultSink* sink : sinks_) sink->buffer(result);
  }
  bool wants_progress() const override {
    return std::any_of(sinks_.begin(), sinks_.end(),
                       [](const ResultSink* sink) { return sink->wants_progress(); });
  }
  void progress(std::uint64_t done, std::uint64_t total) override {
    for (ResultSink* sink : sinks_) sink->progress(done, total);
  }

 private:
  std::vector<ResultSink*> sinks_;
};

// A rank's first divergent step.
struct FirstStep {
  std::uint32_t rank = 0;
  std::uint64_t step = 0;
  std::vector<BufferResult> buffers;  // the first that diverged, in execution order
  std::uint64_t diverged = 0;         // all of them
};

// How far from passing: over every diverged buffer with a tolerance.
struct NeededTolerance {
  std::uint64_t buffers = 0, outside = 0;  // buffers measured; those that do not pass
  // With these, every measured buffer passes; infinity when none would do.
  double smallest_rtol = 0, smallest_atol = 0;
  std::string worst_rtol, worst_atol;  // the buffers that set them
};

// What a report for people shows of the buffers, kept in bounded memory while they stream by: those
// of the first divergent step of the rank that diverged first, and sums over all.
class Highlights final : public ResultSink {
 public:
  static constexpr std::size_t kMaxKept = 256;  // buffers of the first step

  void buffer(const BufferResult& result) override;

  // Nothing while nothing diverged. Differences explained away (is_benign) count only as long as
  // there are no others.
  const std::optional<FirstStep>& first_step() const noexcept { return kept_; }

  const std::optional<NeededTolerance>& tolerance() const noexcept { return tolerance_; }

 private:
  std::optional<FirstStep> kept_;
  bool kept_is_benign_ = false;
  std::optional<NeededTolerance> tolerance_;
};

}  // namespace foxhunt
