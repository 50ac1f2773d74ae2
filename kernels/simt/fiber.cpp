// SPDX-License-Identifier: MIT
#include "kernels/simt/fiber.h"

#include <sys/mman.h>

#include <cstdint>

#include "dump/format/error.h"
#include "kernels/simt/race_detector.h"
#include "kernels/simt/sanitizers.h"

namespace foxhunt::simt {
namespace {

constexpr std::size_t kStackBytes = sanitized() ? 256 * 1024 : 64 * 1024;
constexpr std::size_t kGuardBytes = 4096;
// Stacks that begin at the same offset of a page fight for the same cache sets.
constexpr std::size_t kStagger = 320;

}  // namespace

FiberPool::~FiberPool() {
  for (const auto& fiber : all_) munmap(fiber->low, fiber->size);
}

Fiber* FiberPool::take() {
  if (free_.empty()) return make();
  Fiber* const fiber = free_.back();
  free_.pop_back();
  return fiber;
}

Fiber* FiberPool::take_fresh() {
  if (free_.empty()) return make();
  Fiber* const fiber = take();
  mmap(fiber->low + kGuardBytes, fiber->size - kGuardBytes, PROT_READ | PROT_WRITE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  fiber->sanitizer_stack = nullptr;
  prepare_switch(*fiber, entry_);
  return fiber;
}

Fiber* FiberPool::make() {
  auto fiber = std::make_unique<Fiber>();
  fiber->size = kStackBytes;
  void* const memory = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw Error(Errc::limit, "no memory for the stack of one more thread of a kernel: {} exist",
                all_.size());
  }
  mprotect(memory, kGuardBytes, PROT_NONE);
  fiber->low = static_cast<char*>(memory);
  fiber->top = fiber->low + kStackBytes - all_.size() * kStagger % (kStackBytes / 4);
  fiber->top -= reinterpret_cast<std::uintptr_t>(fiber->top) % 64;
  prepare_switch(*fiber, entry_);
  all_.push_back(std::move(fiber));
  return all_.back().get();
}

void FiberPool::reset() {
  free_.clear();
  for (auto fiber = all_.rbegin(); fiber != all_.rend(); ++fiber) {
    forget_stack((*fiber)->low + kGuardBytes, (*fiber)->size - kGuardBytes);
    (*fiber)->sanitizer_stack = nullptr;
    prepare_switch(**fiber, entry_);
    free_.push_back(fiber->get());
  }
}

namespace {
Fiber* departing;
}

void switch_fiber(Fiber& from, Fiber& to) {
  departing = &from;
  before_switch(from, to);
  race_switch(to);
  switch_stack(from, to);
  arrive_on(from);
}

void arrive_on(Fiber& fiber) { after_switch(fiber, *departing); }

}  // namespace foxhunt::simt
