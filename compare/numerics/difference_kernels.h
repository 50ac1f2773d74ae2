// SPDX-License-Identifier: MIT
#pragma once

// Inner to difference.cpp: the loops over blocks of elements, compiled once for each kind of
// processor. No header of the standard library with code in it may be reached from here (see
// FOXHUNT_INLINE).
#include <cstdint>

namespace foxhunt {

inline constexpr std::uint32_t kBlockElements = 2048;
inline constexpr std::uint32_t kBlockTile = 32;

// The sum of the bits of one side's elements.
struct BlockSum {
  std::uint64_t sum;
  bool all_zero;
};

// The statistics of one block. Counts are of differing elements.
struct BlockStatistics {
  std::uint32_t differing;
  std::uint32_t first, last;  // within the block; valid if differing > 0
  std::uint32_t runs;         // that begin in this block
  std::uint32_t tiles_touched, tiles_full;
  BlockSum a, b;

  // Over finite pairs: the integer, or the bits of the double.
  std::uint64_t max_abs;

  // Floats only from here on. Pairs with a NaN; with a NaN or an infinity; of two NaNs; of two
  // zeros.
  std::uint32_t with_nan, non_finite, both_nan, both_zero;
  // Pairs without a NaN; each count includes the one before.
  std::uint32_t ulp_at_most_1, ulp_at_most_4, ulp_at_most_64;
  std::uint64_t max_ulp;
};

// The loops for one dtype. Blocks hold kBlockElements elements at any address; a shorter one is
// padded with zeros on both sides.
struct BlockKernels {
  // `elements`: how many are no padding. `previous_differs`: whether the element before the block
  // does. `known_max_abs`: of earlier blocks; max_abs is exact only if greater.
  void (*measure)(const void* a, const void* b, std::uint32_t elements, bool previous_differs,
                  std::uint64_t known_max_abs, BlockStatistics* out);
  // One side of a block.
  BlockSum (*sum)(const void* a);
  // The first differing finite pair whose |a - b| is `max_abs`. There must be one.
  std::uint32_t (*find)(const void* a, const void* b, std::uint64_t max_abs);
};

// By the number of a DType; entry 0 is empty.
struct KernelSet {
  BlockKernels of[16];
};

extern const KernelSet kBaselineKernels;
#if defined(FOXHUNT_X86_64_V3)
extern const KernelSet kX86V3Kernels;  // only where the processor is an x86-64-v3
#endif

}  // namespace foxhunt
