// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/simt/vector_types.h"

// What compiled kernel code needs of the executor. Kernels use it through dialect.h only.
//
// Three flavours of kernel code share these declarations and their layouts:
//   plain         preemption points at barriers, collectives, atomics and fences
//   instrumented  FOXHUNT_SIMT_INSTRUMENTED is defined; compiled with -fsanitize=thread, but linked
//   with
//                 the executor's own entry points, so that every access is a preemption point
//   race          compiled with -fsanitize=thread and linked with ThreadSanitizer

#if defined(__SANITIZE_THREAD__)
#define FOXHUNT_SIMT_TSAN_CODE 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FOXHUNT_SIMT_TSAN_CODE 1
#endif
#endif
#if defined(FOXHUNT_SIMT_TSAN_CODE) && !defined(FOXHUNT_SIMT_INSTRUMENTED)
#define FOXHUNT_SIMT_RACE 1
#endif

// For functions of the dialect that touch the executor's own memory: their accesses are no
// kernel's.
#if defined(FOXHUNT_SIMT_TSAN_CODE)
#define FOXHUNT_SIMT_RUNTIME __attribute__((no_sanitize("thread"), noinline))
#else
#define FOXHUNT_SIMT_RUNTIME
#endif
#define FOXHUNT_SIMT_HIDDEN __attribute__((visibility("hidden")))

namespace foxhunt::simt {

struct Fiber;
struct Grid;
struct Block;

// One logical thread of a resident block; a cache line.
struct alignas(64) Thread {
  uint3 index;           // threadIdx
  std::uint32_t linear;  // x fastest
  Block* block;
  Fiber* fiber;           // null until it first blocks, and when it has ended
  std::uint64_t value;    // what it brings to a collective
  std::uint64_t result;   // what it takes from one
  std::int32_t argument;  // the lane it reads
  std::uint32_t rank;     // its place in the order of priority
  std::uint16_t warp;
  std::uint8_t lane;
  std::uint8_t state;  // what it waits for
};
static_assert(sizeof(Thread) == 64);

// Where a block keeps a FOXHUNT_SHARED variable; valid while `epoch` is the block's.
struct SharedPlace {
  std::uint32_t epoch;
  std::uint32_t offset;
};

// The part of a resident block that kernel code reads.
struct Block {
  uint3 index;  // blockIdx
  uint3 block_dim;
  uint3 grid_dim;
  Thread* threads;
  char* shared;   // its shared memory
  char* dynamic;  // the dynamic part of it
  SharedPlace* places;
  std::uint32_t epoch;  // new for each block that becomes resident
};

// The running logical thread; null outside kernels.
extern FOXHUNT_SIMT_HIDDEN Thread* current;

// Preemption points passed in this launch, and the count at which the policy wants to be asked.
extern FOXHUNT_SIMT_HIDDEN std::uint64_t steps;
extern FOXHUNT_SIMT_HIDDEN std::uint64_t next_change;
// Counts what shows that a launch still gets somewhere; the watchdog looks at it.
extern FOXHUNT_SIMT_HIDDEN std::uint64_t progress;
// Atomics that changed nothing, in a row: who polls soon loses its turn.
extern FOXHUNT_SIMT_HIDDEN std::uint32_t polls;
// Threads that run one behind the other while nothing else may run are called in a batch: the
// engine writes down that they have ended when it is entered next (Engine::settle). The end of the
// running thread's batch; null if it is in none.
extern FOXHUNT_SIMT_HIDDEN Thread* batch_end;
// Whether plain stores may stay pending.
extern FOXHUNT_SIMT_HIDDEN bool weak_memory;

enum class Point : std::uint8_t { atomic, collective, fence, access };

void on_change(Point point);
void on_polling();

// An atomic has changed its word, or not.
FOXHUNT_SIMT_RUNTIME inline void note_atomic(bool changed) {
  if (changed) {
    ++progress;
    polls = 0;
  } else if (__builtin_expect(++polls >= 64, 0)) {
    on_polling();
  }
}

FOXHUNT_SIMT_RUNTIME inline void preemption_point(Point point) {
  if (__builtin_expect(++steps >= next_change, 0)) on_change(point);
}

// The running thread has left its kernel. Makes the next one of its batch the running thread and
// returns it; null if there is none, or the engine has been entered since the batch began.
FOXHUNT_SIMT_RUNTIME inline Thread* begin_next_of_batch(Thread* running) {
  Thread* const next = running + 1;
  if (next >= batch_end || next->fiber != nullptr) return nullptr;
  ++steps;
  return current = next;
}

// One FOXHUNT_SHARED declaration in the source.
struct SharedVariable {
  std::uint32_t bytes;
  std::uint32_t alignment;
  std::uint32_t id = 0;  // from 1 on, once a block has used it
};

// Gives the variable a place in the current block and fills it with the schedule's garbage.
char* place_shared(SharedVariable& variable);

FOXHUNT_SIMT_RUNTIME inline char* shared_address(SharedVariable& variable) {
  const Block& block = *current->block;
  const SharedPlace& place = block.places[variable.id];  // no block has the epoch of places[0]
  if (__builtin_expect(place.epoch != block.epoch, 0)) return place_shared(variable);
  return block.shared + place.offset;
}

enum class BarrierKind : std::uint8_t { plain, any, all, count };

// Blocks until all threads of the block have arrived; the return value is the kind's.
int barrier(BarrierKind kind, int predicate, const char* file, int line);

enum class WarpOp : std::uint8_t { sync, shuffle, ballot, match_any, match_all };

// Blocks until the lanes of `mask` have arrived at the same operation.
std::uint64_t warp_collective(std::uint32_t mask, WarpOp op, std::uint64_t value, int argument,
                              const char* file, int line);
std::uint32_t active_mask();

enum class FenceScope : std::uint8_t { block, device, system };
void fence(FenceScope scope);

// A preemption point; what the thread itself has pending at these bytes becomes visible.
// Called where stores may be pending, and always in the race flavour.
void before_atomic(void* address, std::size_t bytes);
void after_atomic(void* address, std::size_t bytes);

[[noreturn]] void kernel_trap(const char* what, const char* file, int line);
unsigned long long clock_ticks();

}  // namespace foxhunt::simt
