// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/simt/engine.h"

// What ThreadSanitizer must be told, in the race build; nothing in the others.
//
// Each logical thread is one of its fibers, made in the host's context so that it is ordered after
// the launch and after nothing else. Order comes from barriers, __syncwarp, fences around atomics,
// and the launch's end.

namespace foxhunt::simt {

#if defined(FOXHUNT_SIMT_RACE_RUNTIME)

constexpr bool kDetectsRaces = true;

void race_begin_launch();
void race_end_launch();
// Fresh stacks, fibers and shared memory for a block's threads.
void race_begin_block(ResidentBlock& block, std::size_t shared_bytes);
// Called by a thread at its end.
void race_end_thread(Thread& thread);
void race_switch(Fiber& to);

// Sync objects of a block's barrier, and of one meeting of a warp's lanes.
void* race_barrier(const ResidentBlock& block);
void* race_meeting(const ResidentBlock& block, unsigned warp, unsigned number);
void race_release(void* object);
void race_acquire(void* object);

void race_fence(FenceScope scope);

// What the executor does on behalf of a thread, in its own memory, is no access of that thread.
void race_ignore_begin();
void race_ignore_end();

// Reports that came since: taken apart here, where memory may be allocated.
void race_take_reports();

#else

constexpr bool kDetectsRaces = false;
inline void race_begin_launch() {}
inline void race_end_launch() {}
inline void race_begin_block(ResidentBlock&, std::size_t) {}
inline void race_end_thread(Thread&) {}
inline void race_switch(Fiber&) {}
inline void* race_barrier(const ResidentBlock&) { return nullptr; }
inline void* race_meeting(const ResidentBlock&, unsigned, unsigned) { return nullptr; }
inline void race_release(void*) {}
inline void race_acquire(void*) {}
inline void race_fence(FenceScope) {}
inline void race_ignore_begin() {}
inline void race_ignore_end() {}
inline void race_take_reports() {}

#endif

// For the scope of a function that kernels call.
struct RaceIgnored {
  RaceIgnored() { race_ignore_begin(); }
  ~RaceIgnored() { race_ignore_end(); }
  RaceIgnored(const RaceIgnored&) = delete;
  RaceIgnored& operator=(const RaceIgnored&) = delete;
};

}  // namespace foxhunt::simt
