// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/simt/executor.h"
#include "kernels/simt/fiber.h"

// What the sanitizers must be told about fibers and the arena; nothing in the other builds.

#if defined(__SANITIZE_ADDRESS__)
#define FOXHUNT_SIMT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FOXHUNT_SIMT_ASAN 1
#endif
#endif

#if defined(FOXHUNT_SIMT_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace foxhunt::simt {

#if defined(FOXHUNT_SIMT_ASAN)

constexpr bool sanitized() { return true; }
constexpr std::size_t kGap = 64;  // poisoned bytes after each allocation

inline void before_switch(Fiber& from, Fiber& to) {
  __sanitizer_start_switch_fiber(&from.sanitizer_stack, to.low, to.size);
}
// The host's stack is learnt from the first switch away from it.
inline void after_switch(Fiber& here, Fiber& from) {
  const void* low = nullptr;
  std::size_t size = 0;
  __sanitizer_finish_switch_fiber(here.sanitizer_stack, &low, &size);
  if (from.low == nullptr) {
    from.low = const_cast<char*>(static_cast<const char*>(low));
    from.size = size;
  }
}
inline void forget_stack(const void* low, std::size_t bytes) {
  __asan_unpoison_memory_region(low, bytes);
}
// Not where whole lines of memory are looked at, as weak memory does.
inline void poison([[maybe_unused]] const void* memory, [[maybe_unused]] std::size_t bytes) {
#if !defined(FOXHUNT_SIMT_INSTRUMENTED_RUNTIME)
  __asan_poison_memory_region(memory, bytes);
#endif
}
inline void unpoison(const void* memory, std::size_t bytes) {
  __asan_unpoison_memory_region(memory, bytes);
}
// 16 bytes, of which some may lie in a gap. Volatile, so that no call of memcpy comes of it, which
// is checked.
__attribute__((no_sanitize("address"))) inline void read_line(void* to, const volatile char* from) {
  for (unsigned i = 0; i < 16; ++i) static_cast<char*>(to)[i] = from[i];
}

#else

constexpr bool sanitized() { return false; }
constexpr std::size_t kGap = 0;

inline void before_switch(Fiber&, Fiber&) {}
inline void after_switch(Fiber&, Fiber&) {}
inline void forget_stack(const void*, std::size_t) {}
inline void poison(const void*, std::size_t) {}
inline void unpoison(const void*, std::size_t) {}
inline void read_line(void* to, const char* from) { std::memcpy(to, from, 16); }

#endif

}  // namespace foxhunt::simt
