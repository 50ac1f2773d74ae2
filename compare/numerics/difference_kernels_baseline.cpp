// SPDX-License-Identifier: MIT
#define FOXHUNT_VECTOR_BYTES 16
#include "compare/numerics/difference_kernels.inc"

namespace foxhunt {
const KernelSet kBaselineKernels = kKernels;
}
