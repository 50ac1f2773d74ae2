// SPDX-License-Identifier: MIT
#define FOXHUNT_VECTOR_BYTES 32
#include "compare/numerics/difference_kernels.inc"

namespace foxhunt {
const KernelSet kX86V3Kernels = kKernels;
}
