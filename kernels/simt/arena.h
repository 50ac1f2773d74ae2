// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "kernels/simt/engine.h"

namespace foxhunt::simt {

// One range of addresses holds all memory that kernels share, so that an access is known for a
// kernel's by its address. It is reserved, not filled: pages appear when touched. Allocations stand
// in its middle, so that an index made of garbage (any 32-bit number times 4) stays inside.
struct Arena {
  char* begin;
  char* end;
  char* shared_end;  // shared memory lies in [begin, shared_end)
};
extern FOXHUNT_SIMT_HIDDEN Arena arena;

inline bool in_arena(const void* address) { return address >= arena.begin && address < arena.end; }
inline bool is_shared_memory(const void* address) {
  return address >= arena.begin && address < arena.shared_end;
}

// Who asked for memory. Pinned host memory lies here too, because kernels reach it.
enum class Memory : std::uint8_t { device, pinned };

// Aligned to 256 bytes and filled with garbage; null if the arena is full.
void* allocate(Memory kind, std::size_t bytes);
// False if this is no allocation of that kind.
bool release(Memory kind, void* pointer);
// The allocation that holds an address: its bytes from the address on; 0 if there is none.
std::size_t bytes_from(const void* address);
bool is_device_memory(const void* address);
// Those in device memory, in the order in which they were made.
void for_each_device_allocation(const std::function<void(const char*, std::size_t)>& visit);

// The shared memory of a slot, and the dynamic part of a block's.
void give_shared_memory(ResidentBlock& block, unsigned slot);
// How much of it the blocks in its slot have used at most.
std::size_t shared_bytes_used(const ResidentBlock& block);
void fill_dynamic_shared(ResidentBlock& block, std::size_t bytes);

// Finite garbage: every 4 bytes are a float between 1 and 2 or -1 and -2, and a huge integer.
std::uint64_t garbage_word(std::uint64_t random);
void fill_garbage(void* memory, std::size_t bytes, std::uint64_t seed);
// Another seed for each piece of memory since set_schedule.
std::uint64_t next_garbage_seed();
void restart_garbage();

}  // namespace foxhunt::simt
