// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>

#include "dump/capture/device_queue.h"

namespace foxhunt {

// Takes one captured buffer's bytes, in order, on the writer thread.
class PieceSink {
 public:
  virtual ~PieceSink() = default;
  virtual void piece(std::span<const std::byte> bytes) = 0;  // valid during the call only
  virtual void finish() = 0;                                 // after the last piece
};

// Copies device buffers to PieceSinks in stream order: a snapshot on the producer's stream, a copy
// into pinned staging on a side stream, then a writer thread. capture() returns once everything is
// queued; it waits only while the staging budget is full. A buffer larger than a staging block goes
// in pieces, which no other buffer's pieces come between.
//
// Jobs reach the writer in the order of the calls, so that run_after() sees every earlier capture
// finished.
class DeviceCapture {
 public:
  struct Options {
    std::size_t staging_bytes = std::size_t{256} << 20;  // pinned memory in all
    std::size_t block_bytes = std::size_t{16} << 20;     // a piece at most
  };

  // `on_trouble` is called at most once, on any thread, with the exception that ended capturing;
  // from then on everything is dropped: captures return at once, run_after jobs do not run.
  DeviceCapture(std::unique_ptr<DeviceQueue> queue, Options options,
                std::function<void(std::exception_ptr)> on_trouble);
  // Waits for what is queued.
  ~DeviceCapture();

  // Captures `bytes` bytes at device address `from` as they stand after all work that is queued on
  // `stream` now. Trouble (no memory for a snapshot, a stream that is being captured into a graph,
  // a device error) goes to on_trouble, never to the caller.
  void capture(DeviceQueue::Stream stream, const void* from, std::size_t bytes,
               std::unique_ptr<PieceSink> sink) noexcept;

  // Runs `job` on the writer thread once every earlier capture has reached its sink.
  void run_after(std::function<void()> job) noexcept;

  // Returns once everything queued so far is done or dropped. Not for sinks and jobs: they run on
  // the thread that it waits for; the same holds for capture().
  void drain() noexcept;

  DeviceQueue& queue() noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace foxhunt
