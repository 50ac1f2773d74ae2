// SPDX-License-Identifier: MIT
#include "dump/capture/armed_state.h"

#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <mutex>

#include "dump/capture/arming.h"
#include "dump/capture/message.h"
#include "dump/format/error.h"

int foxhunt_armed_state = -1;

namespace foxhunt {
namespace {

// Lock-free, because a forked child runs with whatever was locked at the time.
std::atomic<int> recording_dumpers{0};
std::atomic<std::uint64_t> generation{0};

void publish_state() noexcept {
  int seen = 0;
  do {
    seen = recording_dumpers.load();
    __atomic_store_n(&foxhunt_armed_state, seen > 0 ? 1 : 0, __ATOMIC_RELAXED);
  } while (recording_dumpers.load() != seen);
}

void disarm_forked_child() {
  generation.fetch_add(1);
  recording_dumpers.store(0);
  if (armed_state() > 0) publish_state();
}

}  // namespace

bool settle_armed_state(int state) noexcept {
  int unread = -1;
  return __atomic_compare_exchange_n(&foxhunt_armed_state, &unread, state, /*weak=*/false,
                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void read_armed_state() noexcept {
  if (armed_state() >= 0) return;
  try {
    settle_armed_state(is_armed_by([](const char* name) { return std::getenv(name); }) ? 1 : 0);
  } catch (const Error& e) {
    if (settle_armed_state(0)) print_message(e.what());
  } catch (...) {
    settle_armed_state(0);
  }
}

void add_recording_dumper() {
  static std::once_flag registered;
  std::call_once(registered, [] { pthread_atfork(nullptr, nullptr, disarm_forked_child); });
  recording_dumpers.fetch_add(1);
  publish_state();
}

void remove_recording_dumper(bool was_recording) noexcept {
  if (was_recording) recording_dumpers.fetch_sub(1);
  publish_state();
}

std::uint64_t fork_generation() noexcept { return generation.load(std::memory_order_relaxed); }

}  // namespace foxhunt
