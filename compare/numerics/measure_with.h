// SPDX-License-Identifier: MIT
#pragma once

#include "compare/numerics/difference.h"

namespace foxhunt {

struct KernelSet;

// The loops for x86-64-v3 (AVX2); nothing where this processor or this build lacks them.
const KernelSet* x86_v3_kernels();

// measure() with chosen loops. All of them give the same bits.
Difference measure_with(const KernelSet& kernels, DType dtype, const std::byte* a,
                        const std::byte* b, std::uint64_t elements, std::uint64_t base);

}  // namespace foxhunt
