// SPDX-License-Identifier: MIT
#include "kernels/simt/race_detector.h"

#include <sys/mman.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "dump/format/error.h"

extern "C" {
void* __tsan_get_current_fiber();
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);
void __tsan_acquire(void* address);
void __tsan_release(void* address);
void __tsan_ignore_thread_begin();
void __tsan_ignore_thread_end();
}

namespace foxhunt::simt {
namespace {

// Threads that have ended and of whose accesses ThreadSanitizer can still say from where. It has
// room for 8,000 threads.
constexpr std::size_t kRemembered = 256;

constexpr unsigned kNoSync = 1;  // a switch orders nothing

// Addresses for sync objects, which are never touched. Each block has its own, so that blocks which
// use a slot one after another are not ordered by it.
constexpr std::size_t kBlockObjects = 4096;
constexpr std::size_t kBlockObjectSets = std::size_t{1} << 20;
constexpr std::size_t kAtomicObjects = std::size_t{1} << 24;  // 8 bytes each

char* objects() {
  static char* const memory = static_cast<char*>(
      mmap(nullptr, kBlockObjects * kBlockObjectSets + 8 * kAtomicObjects, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  FOXHUNT_ASSERT(memory != MAP_FAILED);
  return memory;
}

char* objects_of(const ResidentBlock& block) {
  return objects() + kBlockObjects * (block.epoch % kBlockObjectSets);
}

// For what an atomic at this address orders within one block.
void* block_scope_object(const void* address, const Block& block) {
  const std::uint64_t n =
      mix(reinterpret_cast<std::uintptr_t>(address), block.epoch) % kAtomicObjects;
  return objects() + kBlockObjects * kBlockObjectSets + 8 * n;
}

// A thread's fences and atomics so far.
struct Fences {
  bool block = false, device = false;  // it has passed one
  std::vector<void*> seen;             // atomics since the last device fence
};

void* host_fiber = nullptr;
char launch_end;            // a sync object
std::deque<void*> retired;  // of threads that are done, oldest first
std::vector<Fences> fences;

Fences& fences_of(const Thread& thread) {
  return fences[static_cast<std::size_t>(&thread - engine().threads.data())];
}

// Does something in the host's context, so that it is ordered after nothing that a kernel did.
template <class Do>
void as_host(const Do& what) {
  void* const here = __tsan_get_current_fiber();
  if (here != host_fiber) __tsan_switch_to_fiber(host_fiber, kNoSync);
  what(here);
  if (here != host_fiber) __tsan_switch_to_fiber(here, kNoSync);
}

}  // namespace

void race_begin_launch() {
  host_fiber = __tsan_get_current_fiber();
  fences.resize(std::max(fences.size(), engine().threads.capacity()));
}

void race_end_launch() {
  __tsan_acquire(&launch_end);
  for (const Thread& thread : engine().threads) {  // of a launch that was given up
    Fiber* const fiber = thread.fiber;
    if (fiber == nullptr || fiber->race_fiber == nullptr) continue;
    if (fiber->race_ignored != 0) {  // it may not end so
      __tsan_switch_to_fiber(fiber->race_fiber, kNoSync);
      __tsan_ignore_thread_end();
      __tsan_switch_to_fiber(host_fiber, kNoSync);
      fiber->race_ignored = 0;
    }
    __tsan_destroy_fiber(fiber->race_fiber);
    fiber->race_fiber = nullptr;
  }
  for (void* const fiber : retired) __tsan_destroy_fiber(fiber);
  retired.clear();
  race_take_reports();
}

void race_begin_block(ResidentBlock& block, std::size_t shared_bytes) {
  as_host([&](void* here) {
    while (retired.size() > kRemembered && retired.front() != here) {
      __tsan_destroy_fiber(retired.front());
      retired.pop_front();
    }
    // Mapped anew, memory has no past accesses.
    const std::size_t bytes = (shared_bytes + 4095) / 4096 * 4096;
    if (bytes != 0) {
      mmap(block.shared, bytes, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    }
    for (unsigned i = 0; i < block.count; ++i) {
      Thread& thread = block.threads[i];
      thread.fiber = engine().pool.take_fresh();
      thread.fiber->race_fiber = __tsan_create_fiber(0);
      fences_of(thread) = {};
    }
  });
}

void race_end_thread(Thread& thread) {
  while (engine().running->race_ignored > 1) race_ignore_end();  // of one with too many reports
  __tsan_release(&launch_end);
  retired.push_back(engine().running->race_fiber);
  engine().running->race_fiber = nullptr;
  thread.fiber = nullptr;
}

void race_switch(Fiber& to) {
  __tsan_switch_to_fiber(to.race_fiber == nullptr ? host_fiber : to.race_fiber, kNoSync);
}

void* race_barrier(const ResidentBlock& block) { return objects_of(block) + 8 * (block.phase % 2); }

void* race_meeting(const ResidentBlock& block, unsigned warp, unsigned number) {
  return objects_of(block) + 64 + 8 * (8 * warp + number % 8);
}

void race_ignore_begin() {
  if (engine().running->race_ignored++ == 0) __tsan_ignore_thread_begin();
}

void race_ignore_end() {
  if (--engine().running->race_ignored == 0) __tsan_ignore_thread_end();
}

void race_release(void* object) { __tsan_release(object); }
void race_acquire(void* object) { __tsan_acquire(object); }

// As in C++: a fence and a later atomic release, an atomic and a later fence acquire.
void race_fence(FenceScope scope) {
  Fences& mine = fences_of(*current);
  mine.block = true;
  for (void* const address : mine.seen) {
    __tsan_acquire(block_scope_object(address, *current->block));
    if (scope != FenceScope::block) __tsan_acquire(address);
  }
  if (scope == FenceScope::block) return;
  mine.device = true;
  mine.seen.clear();
}

void before_atomic(void* address, std::size_t) {
  const RaceIgnored ignored;
  preemption_point(Point::atomic);
  const Fences& mine = fences_of(*current);
  if (mine.block) __tsan_release(block_scope_object(address, *current->block));
  if (mine.device) __tsan_release(address);
}

void after_atomic(void* address, std::size_t) {
  const RaceIgnored ignored;
  std::vector<void*>& seen = fences_of(*current).seen;
  if (std::find(seen.begin(), seen.end(), address) == seen.end()) seen.push_back(address);
}

}  // namespace foxhunt::simt
