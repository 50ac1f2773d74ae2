// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/simt/executor.h"

// The warp collectives. As in CUDA only __syncwarp orders memory; the others exchange values.
// Values are up to 8 bytes long.

namespace foxhunt::simt {

template <class T>
FOXHUNT_SIMT_RUNTIME inline std::uint64_t to_bits(T value) {
  static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
  std::uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}

template <class T>
FOXHUNT_SIMT_RUNTIME inline T from_bits(std::uint64_t bits) {
  T value;
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}

FOXHUNT_SIMT_RUNTIME inline int lane() { return current->lane; }

template <class T>
T shuffle(unsigned mask, T value, int from, const char* file, int line) {
  return from_bits<T>(warp_collective(mask, WarpOp::shuffle, to_bits(value), from, file, line));
}

}  // namespace foxhunt::simt

inline void __syncwarp(unsigned mask = 0xffffffffu, const char* file = __builtin_FILE(),
                       int line = __builtin_LINE()) {
  foxhunt::simt::warp_collective(mask, foxhunt::simt::WarpOp::sync, 0, 0, file, line);
}

template <class T>
T __shfl_sync(unsigned mask, T value, int from, int width = 32, const char* file = __builtin_FILE(),
              int line = __builtin_LINE()) {
  const int segment = foxhunt::simt::lane() & ~(width - 1);
  return foxhunt::simt::shuffle(mask, value, segment | (from & (width - 1)), file, line);
}

template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32,
                 const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  const int lane = foxhunt::simt::lane();
  const int from = lane - static_cast<int>(delta);
  const bool inside = from >= (lane & ~(width - 1));
  return foxhunt::simt::shuffle(mask, value, inside ? from : lane, file, line);
}

template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32,
                   const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  const int lane = foxhunt::simt::lane();
  const int from = lane + static_cast<int>(delta);
  const bool inside = from < (lane & ~(width - 1)) + width;
  return foxhunt::simt::shuffle(mask, value, inside ? from : lane, file, line);
}

template <class T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32,
                  const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  const int lane = foxhunt::simt::lane();
  const int from = lane ^ bits;
  // As in CUDA a lane may read from earlier segments, and otherwise keeps its own value.
  const bool inside = from < (lane & ~(width - 1)) + width;
  return foxhunt::simt::shuffle(mask, value, inside ? from : lane, file, line);
}

inline unsigned __ballot_sync(unsigned mask, int predicate, const char* file = __builtin_FILE(),
                              int line = __builtin_LINE()) {
  return static_cast<unsigned>(foxhunt::simt::warp_collective(mask, foxhunt::simt::WarpOp::ballot,
                                                              predicate != 0, 0, file, line));
}
inline int __any_sync(unsigned mask, int predicate, const char* file = __builtin_FILE(),
                      int line = __builtin_LINE()) {
  return __ballot_sync(mask, predicate, file, line) != 0;
}
inline int __all_sync(unsigned mask, int predicate, const char* file = __builtin_FILE(),
                      int line = __builtin_LINE()) {
  return __ballot_sync(mask, predicate == 0, file, line) == 0;
}
template <class T>
unsigned __match_any_sync(unsigned mask, T value, const char* file = __builtin_FILE(),
                          int line = __builtin_LINE()) {
  return static_cast<unsigned>(foxhunt::simt::warp_collective(
      mask, foxhunt::simt::WarpOp::match_any, foxhunt::simt::to_bits(value), 0, file, line));
}
template <class T>
unsigned __match_all_sync(unsigned mask, T value, int* all_equal,
                          const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  const auto lanes = static_cast<unsigned>(foxhunt::simt::warp_collective(
      mask, foxhunt::simt::WarpOp::match_all, foxhunt::simt::to_bits(value), 0, file, line));
  *all_equal = lanes != 0;
  return lanes;
}
inline unsigned __activemask() { return foxhunt::simt::active_mask(); }
