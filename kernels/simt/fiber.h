// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace foxhunt::simt {

// A stack and what is needed to go on there. The host's own stack is one too (without `low`).
struct Fiber {
  void* context = nullptr;  // of the machine's switch, while it does not run
  char* low = nullptr;      // the mapping that holds the stack
  std::size_t size = 0;
  char* top = nullptr;              // where the stack begins, inside the mapping
  void* race_fiber = nullptr;       // ThreadSanitizer's, in the race build
  int race_ignored = 0;             // nested scopes in which its accesses do not count
  void* sanitizer_stack = nullptr;  // AddressSanitizer's fake stack, while it does not run
};

// Makes `fiber` begin with entry(), which never returns, at its next switch.
void prepare_switch(Fiber& fiber, void (*entry)());
// Leaves `from`, which is running, for `to`; returns when something switches back.
void switch_stack(Fiber& from, Fiber& to);

// switch_stack, with what sanitizers must be told about it.
void switch_fiber(Fiber& from, Fiber& to);
// The first thing to call on a fresh fiber.
void arrive_on(Fiber& fiber);

// Fibers whose stacks are used again by later threads.
class FiberPool {
 public:
  explicit FiberPool(void (*entry)()) : entry_(entry) {}
  ~FiberPool();
  FiberPool(const FiberPool&) = delete;
  FiberPool& operator=(const FiberPool&) = delete;

  Fiber* take();
  // One whose stack is mapped anew and begins at entry().
  Fiber* take_fresh();
  // The fiber is about to wait inside entry() for its next thread.
  void give(Fiber* fiber) { free_.push_back(fiber); }
  // No fiber is in use any more; those that were begin at entry() again.
  void reset();

 private:
  Fiber* make();

  void (*entry_)();
  std::vector<std::unique_ptr<Fiber>> all_;
  std::vector<Fiber*> free_;
};

}  // namespace foxhunt::simt
