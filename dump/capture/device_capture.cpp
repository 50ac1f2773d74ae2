// SPDX-License-Identifier: MIT
#include "dump/capture/device_capture.h"

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <condition_variable>
#include <list>
#include <mutex>
#include <thread>
#include <utility>

#include "dump/capture/device_staging.h"
#include "dump/format/error.h"

namespace foxhunt {
namespace {

// The trainer's signal handlers must not find themselves on our thread; faults stay where they are.
class BlockedSignals {
 public:
  BlockedSignals() noexcept {
    sigset_t most;
    sigfillset(&most);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigdelset(&most, fault);
    pthread_sigmask(SIG_BLOCK, &most, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

struct DeviceCapture::State {
  // What the writer takes one after the other: a piece of a buffer, the end of an empty one, or a
  // job.
  struct Entry {
    std::shared_ptr<PieceSink> sink;
    DeviceStaging::Span staged;
    DeviceQueue::DevicePointer memory = nullptr;
    DeviceQueue::Event copied = 0;
    bool is_last = false;
    std::function<void()> job;
  };
  // Entries move between lists by splicing, which cannot fail: a copy that is under way is never
  // lost.
  using Entries = std::list<Entry>;

  State(std::unique_ptr<DeviceQueue> device_queue, const Options& options,
        std::function<void(std::exception_ptr)> trouble_handler)
      : queue(std::move(device_queue)),
        staging(*queue, options.staging_bytes, options.block_bytes),
        on_trouble(std::move(trouble_handler)) {}

  void capture(DeviceQueue::Stream stream, const std::byte* from, std::size_t bytes,
               std::shared_ptr<PieceSink> sink);
  DeviceStaging::Span take_staging(std::size_t wanted);
  DeviceQueue::DevicePointer take_snapshot_memory(std::size_t bytes, DeviceQueue::Stream stream);
  void settle(std::unique_lock<std::mutex>& lock) noexcept;
  void start_writer();
  void push(Entries& entry) noexcept;
  void write_all() noexcept;
  void write(Entry& entry) noexcept;
  void give_back_memory(Entry& entry) noexcept;
  void give_back_staging(Entry& entry) noexcept;
  void trouble(std::exception_ptr error) noexcept;

  const std::unique_ptr<DeviceQueue> queue;

  // One capture at a time, so that its pieces stay together; taken before `mutex`.
  std::mutex capture_mutex;
  std::mutex mutex;                  // guards what follows
  std::condition_variable work;      // for the writer
  std::condition_variable progress;  // for those who wait for the writer
  DeviceStaging staging;
  Entries entries;
  std::uint64_t pushed = 0;
  std::uint64_t done = 0;
  std::size_t snapshots = 0;   // allocated and not yet released
  std::uint64_t released = 0;  // snapshots, ever
  bool stopping = false;
  std::thread writer;

  std::atomic<bool> off{false};  // set under `mutex`
  const std::function<void(std::exception_ptr)> on_trouble;
};

void DeviceCapture::State::capture(DeviceQueue::Stream stream, const std::byte* from,
                                   std::size_t bytes, std::shared_ptr<PieceSink> sink) {
  start_writer();
  if (queue->is_being_captured(stream)) {
    throw Error(Errc::device,
                "a buffer of {} bytes is to be dumped from a stream whose work is being captured "
                "into a CUDA graph, where nothing runs yet; place the hook after the graph's "
                "launch, or train without graphs while dumping",
                bytes);
  }
  if (bytes == 0) {
    Entries entry(1);
    entry.front().sink = std::move(sink);
    entry.front().is_last = true;
    push(entry);
    return;
  }
  for (std::size_t begin = 0; begin < bytes;) {
    Entries entry(1);
    Entry& piece = entry.front();
    try {
      piece.staged = take_staging(bytes - begin);
      const std::size_t size = piece.staged.bytes;
      if (size > 0) piece.memory = take_snapshot_memory(size, stream);
      if (piece.memory != nullptr) {
        queue->snapshot(stream, piece.memory, from + begin, size);
        piece.copied = queue->copy_out(stream, piece.staged.data, piece.memory, size);
      }
    } catch (...) {
      give_back_memory(piece);
      give_back_staging(piece);
      throw;
    }
    if (piece.memory == nullptr) {
      give_back_staging(piece);
      return;
    }
    piece.sink = sink;
    begin += piece.staged.bytes;
    piece.is_last = begin == bytes;
    push(entry);
  }
}

// Empty when capturing has ended.
DeviceStaging::Span DeviceCapture::State::take_staging(std::size_t wanted) {
  std::unique_lock lock(mutex);
  bool settled = false;
  while (!off) {
    if (const auto staged = staging.take(wanted)) return *staged;
    if (!std::exchange(settled, true)) {
      settle(lock);
    } else {
      progress.wait(lock);
    }
  }
  return {};
}

// nullptr when capturing has ended.
DeviceQueue::DevicePointer DeviceCapture::State::take_snapshot_memory(std::size_t bytes,
                                                                      DeviceQueue::Stream stream) {
  std::unique_lock lock(mutex);
  while (!off) {
    const std::size_t snapshots_before = snapshots;
    const std::uint64_t released_before = released;
    lock.unlock();
    const auto memory = queue->allocate(bytes, stream);
    lock.lock();
    if (memory != nullptr) {
      ++snapshots;
      return memory;
    }
    if (snapshots_before == 0) {
      throw Error(Errc::device,
                  "no device memory for a snapshot of {} bytes; leave the dumper some (a smaller "
                  "batch, a smaller memory pool of the trainer's), or dump fewer buffers with "
                  "FOXHUNT_DETERMINISM_GROUPS",
                  bytes);
    }
    settle(lock);
    progress.wait(lock, [&] { return off || released != released_before; });
  }
  return nullptr;
}

// Nothing new is queued meanwhile: that is for the thread that calls this.
void DeviceCapture::State::settle(std::unique_lock<std::mutex>& lock) noexcept {
  lock.unlock();
  queue->settle();
  lock.lock();
}

void DeviceCapture::State::start_writer() {
  const std::lock_guard lock(mutex);
  if (writer.joinable()) return;
  const BlockedSignals blocked;
  writer = std::thread([this] { write_all(); });
}

void DeviceCapture::State::push(Entries& entry) noexcept {
  const std::lock_guard lock(mutex);
  entries.splice(entries.end(), entry);
  ++pushed;
  work.notify_one();
}

void DeviceCapture::State::write_all() noexcept {
  std::unique_lock lock(mutex);
  for (;;) {
    work.wait(lock, [this] { return !entries.empty() || stopping || (off && staging.has_idle()); });
    if (off) staging.release_idle();
    if (entries.empty()) {
      if (stopping) return;
      continue;
    }
    Entries taken;
    taken.splice(taken.end(), entries, entries.begin());
    lock.unlock();
    write(taken.front());
    taken.clear();  // the sink's or job's end belongs to the entry
    lock.lock();
    ++done;
    progress.notify_all();
  }
}

// Once capturing has ended, an entry only gives back what it holds; its copy is still waited for,
// since memory must not be given back under it.
void DeviceCapture::State::write(Entry& entry) noexcept {
  try {
    if (entry.memory != nullptr) queue->wait(entry.copied);
  } catch (...) {
    trouble(std::current_exception());
  }
  give_back_memory(entry);
  try {
    if (entry.sink && !off) {
      if (entry.staged.bytes > 0) entry.sink->piece({entry.staged.data, entry.staged.bytes});
      if (entry.is_last) entry.sink->finish();
    }
    if (entry.job && !off) entry.job();
  } catch (...) {
    trouble(std::current_exception());
  }
  give_back_staging(entry);
}

void DeviceCapture::State::give_back_memory(Entry& entry) noexcept {
  if (entry.memory == nullptr) return;
  queue->release(entry.memory);
  const std::lock_guard lock(mutex);
  --snapshots;
  ++released;
  progress.notify_all();
}

void DeviceCapture::State::give_back_staging(Entry& entry) noexcept {
  if (entry.staged.data == nullptr) return;
  const std::lock_guard lock(mutex);
  staging.put(entry.staged);
  progress.notify_all();
  work.notify_one();
}

void DeviceCapture::State::trouble(std::exception_ptr error) noexcept {
  {
    const std::lock_guard lock(mutex);
    if (off.exchange(true)) return;
    progress.notify_all();
    work.notify_one();
  }
  try {
    on_trouble(std::move(error));
  } catch (...) {  // a hook never ends a training run
  }
}

DeviceCapture::DeviceCapture(std::unique_ptr<DeviceQueue> queue, Options options,
                             std::function<void(std::exception_ptr)> on_trouble)
    : state_(std::make_unique<State>(std::move(queue), options, std::move(on_trouble))) {}

DeviceCapture::~DeviceCapture() {
  state_->queue->settle();
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
    state_->work.notify_one();
  }
  if (state_->writer.joinable()) state_->writer.join();
}

void DeviceCapture::capture(DeviceQueue::Stream stream, const void* from, std::size_t bytes,
                            std::unique_ptr<PieceSink> sink) noexcept {
  if (state_->off) return;
  try {
    const std::lock_guard one_at_a_time(state_->capture_mutex);
    if (state_->off) return;
    state_->capture(stream, static_cast<const std::byte*>(from), bytes, std::move(sink));
  } catch (...) {
    state_->trouble(std::current_exception());
  }
}

void DeviceCapture::run_after(std::function<void()> job) noexcept {
  if (state_->off) return;
  try {
    State::Entries entry(1);
    entry.front().job = std::move(job);
    state_->start_writer();
    state_->push(entry);
  } catch (...) {
    state_->trouble(std::current_exception());
  }
}

void DeviceCapture::drain() noexcept {
  std::unique_lock lock(state_->mutex);
  const std::uint64_t target = state_->pushed;
  state_->settle(lock);
  state_->progress.wait(lock, [&] { return state_->done >= target; });
}

DeviceQueue& DeviceCapture::queue() noexcept { return *state_->queue; }

}  // namespace foxhunt
