// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/simt/executor.h"

// CUDA's atomics, relaxed as there: each is one indivisible step, and orders nothing else.

namespace foxhunt::simt {

#if defined(FOXHUNT_SIMT_RACE)
// Seen by ThreadSanitizer as an atomic. Between the two no other thread can run.
template <class T, class Update>
T atomic_update(T* address, Update update) {
  using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  static_assert(sizeof(T) == sizeof(Word));
  before_atomic(address, sizeof(T));
  auto* word = reinterpret_cast<Word*>(address);
  Word bits = __atomic_load_n(word, __ATOMIC_RELAXED);
  T old;
  __builtin_memcpy(&old, &bits, sizeof(T));
  const T next = update(old);
  __builtin_memcpy(&bits, &next, sizeof(T));
  __atomic_store_n(word, bits, __ATOMIC_RELAXED);
  note_atomic(__builtin_memcmp(&old, &next, sizeof(T)) != 0);
  after_atomic(address, sizeof(T));
  return old;
}
#else
template <class T, class Update>
FOXHUNT_SIMT_RUNTIME inline T atomic_update(T* address, Update update) {
  preemption_point(Point::atomic);
  if (weak_memory) before_atomic(address, sizeof(T));
  const T old = *address;
  const T next = update(old);
  *address = next;
  note_atomic(__builtin_memcmp(&old, &next, sizeof(T)) != 0);
  if (weak_memory) after_atomic(address, sizeof(T));
  return old;
}
#endif

}  // namespace foxhunt::simt

// The value's type is the address's, as in CUDA's overloads.
template <class T>
T atomicAdd(T* address, std::type_identity_t<T> value) {
  static_assert(std::is_same_v<T, int> || std::is_same_v<T, unsigned> ||
                    std::is_same_v<T, unsigned long long> || std::is_floating_point_v<T>,
                "CUDA has no such atomicAdd");
  if constexpr (std::is_same_v<T, int>) {  // wraps
    return foxhunt::simt::atomic_update(address, [=](int old) {
      return static_cast<int>(static_cast<unsigned>(old) + static_cast<unsigned>(value));
    });
  } else {
    return foxhunt::simt::atomic_update(address, [=](T old) { return old + value; });
  }
}
template <class T>
T atomicSub(T* address, std::type_identity_t<T> value) {
  static_assert(std::is_same_v<T, int> || std::is_same_v<T, unsigned>,
                "CUDA has no such atomicSub");
  return foxhunt::simt::atomic_update(address, [=](T old) {
    return static_cast<T>(static_cast<unsigned>(old) - static_cast<unsigned>(value));
  });
}
template <class T>
T atomicMin(T* address, std::type_identity_t<T> value) {
  static_assert(std::is_integral_v<T>, "CUDA has no such atomicMin");
  return foxhunt::simt::atomic_update(address, [=](T old) { return value < old ? value : old; });
}
template <class T>
T atomicMax(T* address, std::type_identity_t<T> value) {
  static_assert(std::is_integral_v<T>, "CUDA has no such atomicMax");
  return foxhunt::simt::atomic_update(address, [=](T old) { return old < value ? value : old; });
}
template <class T>
T atomicExch(T* address, std::type_identity_t<T> value) {
  return foxhunt::simt::atomic_update(address, [=](T) { return value; });
}
template <class T>
T atomicAnd(T* address, std::type_identity_t<T> value) {
  return foxhunt::simt::atomic_update(address, [=](T old) { return old & value; });
}
template <class T>
T atomicOr(T* address, std::type_identity_t<T> value) {
  return foxhunt::simt::atomic_update(address, [=](T old) { return old | value; });
}
template <class T>
T atomicXor(T* address, std::type_identity_t<T> value) {
  return foxhunt::simt::atomic_update(address, [=](T old) { return old ^ value; });
}
template <class T>
T atomicCAS(T* address, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  static_assert(std::is_integral_v<T>, "CUDA has no such atomicCAS");
  return foxhunt::simt::atomic_update(address,
                                      [=](T old) { return old == expected ? value : old; });
}
inline unsigned atomicInc(unsigned* address, unsigned limit) {
  return foxhunt::simt::atomic_update(address,
                                      [=](unsigned old) { return old >= limit ? 0u : old + 1; });
}
inline unsigned atomicDec(unsigned* address, unsigned limit) {
  return foxhunt::simt::atomic_update(
      address, [=](unsigned old) { return old == 0 || old > limit ? limit : old - 1; });
}
