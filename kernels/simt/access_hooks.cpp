// SPDX-License-Identifier: MIT
#include "kernels/simt/arena.h"
#include "kernels/simt/store_buffer.h"

// The entry points that -fsanitize=thread puts into kernel code, in the instrumented build: every
// load and store of device or shared memory becomes a preemption point. Host code between launches
// and each thread's own stack pass through.

using foxhunt::simt::current;
using foxhunt::simt::in_arena;
using foxhunt::simt::load_before_store;
using foxhunt::simt::Point;
using foxhunt::simt::preemption_point;
using foxhunt::simt::progress;
using foxhunt::simt::store_is_to_come;
using foxhunt::simt::weak_load;
using foxhunt::simt::weak_memory;
using foxhunt::simt::weak_store;

namespace {

inline void on_read(const void* address, std::size_t bytes, bool is_volatile = false) {
  if (!in_arena(address) || current == nullptr) return;
  if (weak_memory && store_is_to_come()) {
    load_before_store(address, bytes);
    return;
  }
  preemption_point(Point::access);
  if (weak_memory) weak_load(address, bytes, is_volatile);
}

inline void on_write(void* address, std::size_t bytes) {
  if (!in_arena(address) || current == nullptr) return;
  ++progress;
  preemption_point(Point::access);
  if (weak_memory) weak_store(address, bytes);
}

}  // namespace

#define FOXHUNT_ACCESS(bytes)                                                                  \
  void __tsan_read##bytes(void* address) { on_read(address, bytes); }                          \
  void __tsan_write##bytes(void* address) { on_write(address, bytes); }                        \
  void __tsan_unaligned_read##bytes(void* address) { on_read(address, bytes); }                \
  void __tsan_unaligned_write##bytes(void* address) { on_write(address, bytes); }              \
  void __tsan_volatile_read##bytes(void* address) { on_read(address, bytes, true); }           \
  void __tsan_volatile_write##bytes(void* address) { on_write(address, bytes); }               \
  void __tsan_unaligned_volatile_read##bytes(void* address) { on_read(address, bytes, true); } \
  void __tsan_unaligned_volatile_write##bytes(void* address) { on_write(address, bytes); }     \
  void __tsan_read_write##bytes(void* address) {                                               \
    on_read(address, bytes);                                                                   \
    on_write(address, bytes);                                                                  \
  }                                                                                            \
  void __tsan_unaligned_read_write##bytes(void* address) { __tsan_read_write##bytes(address); }

#pragma GCC diagnostic ignored "-Wmissing-declarations"
extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
FOXHUNT_ACCESS(1)
FOXHUNT_ACCESS(2)
FOXHUNT_ACCESS(4)
FOXHUNT_ACCESS(8)
FOXHUNT_ACCESS(16)
void __tsan_read_range(void* address, std::size_t bytes) { on_read(address, bytes); }
void __tsan_write_range(void* address, std::size_t bytes) { on_write(address, bytes); }
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void* __tsan_memcpy(void* to, const void* from, std::size_t n) {
  return __builtin_memcpy(to, from, n);
}
void* __tsan_memmove(void* to, const void* from, std::size_t n) {
  return __builtin_memmove(to, from, n);
}
void* __tsan_memset(void* to, int value, std::size_t n) { return __builtin_memset(to, value, n); }

// std::atomic and shared_ptr in host code of a kernel's file; one thread runs it.
#define FOXHUNT_ATOMIC(bits, T)                                                                  \
  T __tsan_atomic##bits##_load(const volatile T* p, int) { return *p; }                          \
  void __tsan_atomic##bits##_store(volatile T* p, T v, int) { *p = v; }                          \
  T __tsan_atomic##bits##_exchange(volatile T* p, T v, int) {                                    \
    const T old = *p;                                                                            \
    *p = v;                                                                                      \
    return old;                                                                                  \
  }                                                                                              \
  T __tsan_atomic##bits##_fetch_add(volatile T* p, T v, int) {                                   \
    const T old = *p;                                                                            \
    *p = static_cast<T>(old + v);                                                                \
    return old;                                                                                  \
  }                                                                                              \
  T __tsan_atomic##bits##_fetch_sub(volatile T* p, T v, int) {                                   \
    const T old = *p;                                                                            \
    *p = static_cast<T>(old - v);                                                                \
    return old;                                                                                  \
  }                                                                                              \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile T* p, T* expected, T v, int, int) { \
    if (*p == *expected) {                                                                       \
      *p = v;                                                                                    \
      return 1;                                                                                  \
    }                                                                                            \
    *expected = *p;                                                                              \
    return 0;                                                                                    \
  }
FOXHUNT_ATOMIC(8, char)
FOXHUNT_ATOMIC(32, int)
FOXHUNT_ATOMIC(64, long)
void __tsan_atomic_thread_fence(int) {}
void __tsan_atomic_signal_fence(int) {}
}
