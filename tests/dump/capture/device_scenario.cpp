// SPDX-License-Identifier: MIT
#include "tests/dump/capture/device_scenario.h"

#include <utility>

#include "dump/format/error.h"
#include "tests/support/test_seed.h"

namespace foxhunt::test {
namespace {

class Collector : public PieceSink {
 public:
  Collector(std::shared_ptr<Captured> captured, std::function<void()> before_piece)
      : captured_(std::move(captured)), before_piece_(std::move(before_piece)) {}

  void piece(std::span<const std::byte> bytes) override {
    if (before_piece_) before_piece_();
    note_misorder();
    captured_->bytes.insert(captured_->bytes.end(), bytes.begin(), bytes.end());
    ++captured_->pieces;
  }
  void finish() override {
    note_misorder();
    captured_->is_finished = !captured_->is_broken;
  }

 private:
  void note_misorder() {
    if (captured_->is_finished) captured_->is_broken = true;
    if (captured_->is_broken) captured_->is_finished = false;
  }

  std::shared_ptr<Captured> captured_;
  std::function<void()> before_piece_;
};

// Bytes that no other version of the same buffer has at the same place.
std::byte pattern(std::uint64_t version, std::size_t at) {
  return static_cast<std::byte>((at * 131 + (at >> 8) * 17 + version * 29 + 1) & 0xff);
}

void write_pattern(std::vector<std::byte>& buffer, std::uint64_t version) {
  for (std::size_t i = 0; i < buffer.size(); ++i) buffer[i] = pattern(version, i);
}

}  // namespace

std::unique_ptr<PieceSink> collect(std::shared_ptr<Captured> captured,
                                   std::function<void()> before_piece) {
  return std::make_unique<Collector>(std::move(captured), std::move(before_piece));
}

std::function<void(std::exception_ptr)> TroubleLog::handler() {
  return [state = state_](std::exception_ptr error) {
    const std::lock_guard lock(state->mutex);
    try {
      std::rethrow_exception(std::move(error));
    } catch (const std::exception& e) {
      state->texts.emplace_back(e.what());
    }
  };
}

std::size_t TroubleLog::count() const {
  const std::lock_guard lock(state_->mutex);
  return state_->texts.size();
}

std::string TroubleLog::text() const {
  const std::lock_guard lock(state_->mutex);
  return state_->texts.empty() ? std::string() : state_->texts.front();
}

std::size_t count_wrong_captures(FakeDevice& device, DeviceCapture& capture,
                                 const Scenario& scenario) {
  auto rng = test_rng(scenario.seed);
  struct Lane {
    FakeDevice::Stream stream;
    std::vector<std::byte> buffer;
    std::uint64_t version = 0;
  };
  std::vector<Lane> lanes;
  for (std::size_t i = 0; i < scenario.streams; ++i) {
    const std::size_t bytes =
        scenario.smallest + rng() % (scenario.largest - scenario.smallest + 1);
    lanes.push_back({i == 0 ? nullptr : device.make_stream(), std::vector<std::byte>(bytes), 0});
  }
  struct Expectation {
    const Lane* lane;
    std::uint64_t version;
    std::shared_ptr<Captured> captured;
  };
  std::vector<Expectation> expectations;
  if (scenario.starts_late) device.pause();
  for (std::size_t n = 0; n < scenario.captures * scenario.streams; ++n) {
    Lane& lane = lanes[rng() % lanes.size()];
    const std::uint64_t version = ++lane.version;
    device.kernel(lane.stream, [&lane, version] { write_pattern(lane.buffer, version); });
    auto captured = std::make_shared<Captured>();
    capture.capture(lane.stream, lane.buffer.data(), lane.buffer.size(), collect(captured));
    expectations.push_back({&lane, version, captured});
    device.kernel(lane.stream,
                  [&lane, garbage = ++lane.version] { write_pattern(lane.buffer, garbage); });
  }
  device.resume();
  capture.drain();
  device.synchronize();
  std::size_t wrong = 0;
  for (const auto& [lane, version, captured] : expectations) {
    std::vector<std::byte> expected(lane->buffer.size());
    write_pattern(expected, version);
    if (!captured->is_finished || captured->bytes != expected) ++wrong;
  }
  return wrong;
}

}  // namespace foxhunt::test
