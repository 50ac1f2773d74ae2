// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "kernels/simt/engine.h"

namespace foxhunt::simt {

// Weak memory, in the instrumented build: what a GPU's write buffers, caches and reordered loads do
// to a kernel that does not synchronise.
//
// A plain store stays pending in its thread: the thread sees it, nobody else does. A barrier,
// __syncwarp, a block fence or the thread's end hand it on to the block, whose threads then see it
// (a store to shared memory ends there). A device fence, by any thread of the block, makes visible
// to all what the thread and its block have pending; otherwise that happens at random, and at the
// latest at the launch's end, in random order. Stores of one instruction become visible together.
//
// A plain load of another block's store may return the value from before it, until the thread has
// passed a device fence (or a barrier or __syncwarp with one who has) that came after the store.
// Atomics and volatile loads never see the past.
//
// Memory itself holds what the running thread sees: its own pending stores are put there when it
// touches their line, and taken away when another thread runs.

// Around each launch; `threads` and `slots` are those of its start.
void begin_weak_memory();
void end_weak_memory();

// Before each plain access of the running thread.
void weak_load(const void* address, std::size_t bytes, bool is_volatile);
void weak_store(void* address, std::size_t bytes);
// Whether the store that the running thread announced last may not have happened yet. Then nobody
// else may run, and its load sees memory by load_before_store().
bool store_is_to_come();
void load_before_store(const void* address, std::size_t bytes);

// Memory as `next` sees it (null: as the host does). Called before every switch.
void switch_view(Thread* next);

// The running thread passes a block fence, or a device fence.
void publish_to_block(Thread& thread);
void publish_to_device(Thread& thread);

// A block begins in its slot; it arrives at a barrier, and passes it; it is done.
void begin_block_memory(const ResidentBlock& block);
void arrive_with_view(const Thread& thread);
void pass_with_view(const ResidentBlock& block);
void end_block_memory(const ResidentBlock& block);
// These lanes passed __syncwarp.
void share_view(const ResidentBlock& block, unsigned warp, std::uint32_t lanes);

// Makes everything visible: a thread that spins must see it one day.
void publish_everything();

}  // namespace foxhunt::simt
