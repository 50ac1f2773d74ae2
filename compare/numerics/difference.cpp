// SPDX-License-Identifier: MIT
#include "compare/numerics/difference.h"

#include <algorithm>
#include <bit>
#include <cstring>
#if defined(FOXHUNT_X86_64_V3)
#include <cpuid.h>
#endif

#include "compare/numerics/difference_kernels.h"
#include "compare/numerics/measure_with.h"
#include "dump/format/error.h"

namespace foxhunt {
namespace {

static_assert(Difference::kTile == kBlockTile && kBlockElements % kBlockTile == 0);

// Adds up the blocks of one part.
class PartMeasurer {
 public:
  PartMeasurer(const KernelSet& kernels, DType dtype, const std::byte* a, const std::byte* b,
               std::uint64_t elements, std::uint64_t base)
      : kernels_(kernels.of[static_cast<std::size_t>(dtype)]),
        size_(dtype_size(dtype)),
        is_float_(is_float(dtype)),
        a_(a),
        b_(b),
        base_(base) {
    FOXHUNT_ASSERT(base % Difference::kTile == 0);
    total_.elements = elements;
  }

  Difference run() {
    for (std::uint64_t at = 0; at < total_.elements; at += kBlockElements) add_block(at);
    if (total_.measured > 0) find_max();
    if (total_.differing > 0) {
      total_.sample_first = sample(total_.first_index);
      total_.sample_last = sample(total_.last_index);
    }
    return total_;
  }

 private:
  // Both sides of a block, whole: the last one is padded in a copy.
  struct Block {
    const std::byte* a;
    const std::byte* b;
    std::uint32_t elements;
  };

  Block block(std::uint64_t at) {
    const std::uint64_t rest = total_.elements - at;
    if (rest >= kBlockElements) return {a_ + at * size_, b_ + at * size_, kBlockElements};
    for (auto [side, padded] : {std::pair{a_, padded_a_}, std::pair{b_, padded_b_}}) {
      std::memcpy(padded, side + at * size_, rest * size_);
      std::memset(padded + rest * size_, 0, (kBlockElements - rest) * size_);
    }
    return {padded_a_, padded_b_, static_cast<std::uint32_t>(rest)};
  }

  void add_block(std::uint64_t at) {
    const Block both = block(at);
    if (std::memcmp(both.a, both.b, std::size_t{kBlockElements} * size_) == 0) {
      const BlockSum sum = kernels_.sum(both.a);
      add_sums(sum, sum);
      return;
    }
    BlockStatistics found{};
    const bool previous_differs = at > 0 && total_.last_index == base_ + at - 1;
    kernels_.measure(both.a, both.b, both.elements, previous_differs, max_abs_, &found);
    add_sums(found.a, found.b);
    if (total_.differing == 0) total_.first_index = base_ + at + found.first;
    total_.last_index = base_ + at + found.last;
    total_.differing += found.differing;
    total_.runs += found.runs;
    total_.tiles_touched += found.tiles_touched;
    total_.tiles_full += found.tiles_full;

    const std::uint64_t measured = found.differing - found.non_finite;
    if (measured > 0 && (total_.measured == 0 || found.max_abs > max_abs_)) {
      max_abs_ = found.max_abs;
      max_block_ = at;
    }
    total_.measured += measured;
    if (is_float_) add_float_statistics(found);
  }

  void add_sums(const BlockSum& a, const BlockSum& b) {
    total_.a_bit_sum += a.sum;
    total_.b_bit_sum += b.sum;
    total_.a_all_zero &= a.all_zero;
    total_.b_all_zero &= b.all_zero;
  }

  void add_float_statistics(const BlockStatistics& found) {
    const std::uint64_t measured = found.differing - found.with_nan;
    total_.ulp_measured += measured;
    total_.max_ulp = std::max(total_.max_ulp, found.max_ulp);
    total_.ulp_histogram[0] += found.ulp_at_most_1;
    total_.ulp_histogram[1] += found.ulp_at_most_4 - found.ulp_at_most_1;
    total_.ulp_histogram[2] += found.ulp_at_most_64 - found.ulp_at_most_4;
    total_.ulp_histogram[3] += measured - found.ulp_at_most_64;
    total_.nan_payload_only += found.both_nan;
    total_.sign_of_zero_only += found.both_zero;
    total_.non_finite += found.non_finite;
  }

  void find_max() {
    if (is_float_) {
      total_.max_abs = std::bit_cast<double>(max_abs_);
    } else {
      total_.max_abs_integer = max_abs_;
      total_.max_abs = static_cast<double>(max_abs_);
    }
    const Block both = block(max_block_);
    const std::uint32_t index = kernels_.find(both.a, both.b, max_abs_);
    FOXHUNT_ASSERT(index < both.elements);
    total_.max_abs_index = base_ + max_block_ + index;
    total_.sample_max = sample(total_.max_abs_index);
  }

  Difference::Sample sample(std::uint64_t index) const {
    Difference::Sample sample;
    sample.index = index;
    std::memcpy(&sample.a_bits, a_ + (index - base_) * size_, size_);
    std::memcpy(&sample.b_bits, b_ + (index - base_) * size_, size_);
    return sample;
  }

  const BlockKernels& kernels_;
  const std::size_t size_;
  const bool is_float_;
  const std::byte* const a_;
  const std::byte* const b_;
  const std::uint64_t base_;
  Difference total_;
  std::uint64_t max_abs_ = 0;    // as BlockStatistics::max_abs
  std::uint64_t max_block_ = 0;  // the first block that attains it
  std::byte padded_a_[kBlockElements * 8], padded_b_[kBlockElements * 8];
};

const KernelSet& best_kernels() {
  static const KernelSet* const best = [] {
    const KernelSet* const fast = x86_v3_kernels();
    return fast != nullptr ? fast : &kBaselineKernels;
  }();
  return *best;
}

}  // namespace

const KernelSet* x86_v3_kernels() {
#if defined(FOXHUNT_X86_64_V3)
  // Compilers differ in which names they know; the rest of x86-64-v3 is read from the processor.
  __builtin_cpu_init();
  unsigned a = 0, b = 0, basic = 0, extended = 0, d = 0;
  constexpr unsigned kF16cAndMovbe = bit_F16C | bit_MOVBE;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
      __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma") &&
      __get_cpuid(1, &a, &b, &basic, &d) != 0 && (basic & kF16cAndMovbe) == kF16cAndMovbe &&
      __get_cpuid(0x80000001, &a, &b, &extended, &d) != 0 && (extended & bit_LZCNT) != 0) {
    return &kX86V3Kernels;
  }
#endif
  return nullptr;
}

Difference measure_with(const KernelSet& kernels, DType dtype, const std::byte* a,
                        const std::byte* b, std::uint64_t elements, std::uint64_t base) {
  return PartMeasurer(kernels, dtype, a, b, elements, base).run();
}

Difference measure(DType dtype, const std::byte* a, const std::byte* b, std::uint64_t elements,
                   std::uint64_t base) {
  return measure_with(best_kernels(), dtype, a, b, elements, base);
}

void merge(Difference& left, const Difference& right) {
  left.elements += right.elements;
  left.a_all_zero &= right.a_all_zero;
  left.b_all_zero &= right.b_all_zero;
  left.a_bit_sum += right.a_bit_sum;
  left.b_bit_sum += right.b_bit_sum;
  if (right.differing == 0) return;

  // Both ends of the seam differ: one run, counted on either side.
  const bool joined = left.differing > 0 && left.last_index + 1 == right.first_index;
  left.runs += right.runs - (joined ? 1 : 0);
  if (left.differing == 0) {
    left.first_index = right.first_index;
    left.sample_first = right.sample_first;
  }
  left.last_index = right.last_index;
  left.sample_last = right.sample_last;
  left.differing += right.differing;
  left.tiles_touched += right.tiles_touched;
  left.tiles_full += right.tiles_full;

  const bool greater = right.max_abs_integer != left.max_abs_integer
                           ? right.max_abs_integer > left.max_abs_integer
                           : right.max_abs > left.max_abs;
  if (right.measured > 0 && (left.measured == 0 || greater)) {
    left.max_abs = right.max_abs;
    left.max_abs_integer = right.max_abs_integer;
    left.max_abs_index = right.max_abs_index;
    left.sample_max = right.sample_max;
  }
  left.measured += right.measured;

  left.ulp_measured += right.ulp_measured;
  left.max_ulp = std::max(left.max_ulp, right.max_ulp);
  for (std::size_t i = 0; i < left.ulp_histogram.size(); ++i) {
    left.ulp_histogram[i] += right.ulp_histogram[i];
  }
  left.nan_payload_only += right.nan_payload_only;
  left.sign_of_zero_only += right.sign_of_zero_only;
  left.non_finite += right.non_finite;
}

}  // namespace foxhunt
