// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "dump/capture/device_capture.h"
#include "tests/support/fake_device_queue.h"

namespace foxhunt::test {

// What reached a sink; read it after drain().
struct Captured {
  std::vector<std::byte> bytes;
  std::size_t pieces = 0;
  bool is_finished = false;  // once, and after every piece
  bool is_broken = false;    // something came after the end
};

// Collects into `captured`, and calls `before_piece` first, if there is one.
std::unique_ptr<PieceSink> collect(std::shared_ptr<Captured> captured,
                                   std::function<void()> before_piece = {});

// Keeps what on_trouble() got.
class TroubleLog {
 public:
  std::function<void(std::exception_ptr)> handler();
  std::size_t count() const;
  std::string text() const;  // of the first; empty if none

 private:
  struct State {
    std::mutex mutex;
    std::vector<std::string> texts;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

// A training loop in small, on several streams: a producer kernel writes a buffer, the buffer is
// captured, and a later kernel on the same stream overwrites it, again and again.
struct Scenario {
  std::uint64_t seed = 0;
  std::size_t streams = 3;
  std::size_t captures = 8;                 // on each stream
  std::size_t smallest = 1, largest = 300;  // bytes of a buffer
  // The device starts when everything is queued, which the staging must hold: then the seed alone
  // decides what runs when, not the threads' timing.
  bool starts_late = false;
};

// Runs the scenario and drains. Returns how many captures did not see the bytes between producer
// and overwrite, all of them, once finished.
std::size_t count_wrong_captures(FakeDevice& device, DeviceCapture& capture,
                                 const Scenario& scenario);

}  // namespace foxhunt::test
