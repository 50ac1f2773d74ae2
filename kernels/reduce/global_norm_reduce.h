// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "kernels/simt/dialect.h"

namespace foxhunt {

enum class GlobalNormVariant { deterministic, float_atomics };

// The euclidean norm of all gradients together, and the factor that clips them to `max_norm` (R.
// Pascanu, T. Mikolov, Y. Bengio, "On the difficulty of training recurrent neural networks", 2013):
//   norm_and_scale[0] = sqrt(sum of grads[i]^2)
//   norm_and_scale[1] = norm > max_norm ? max_norm / norm : 1
// A norm that is not finite gives a scale that is not either (0 or NaN), so that it gets noticed.
//
// Determinism: gpu_to_gpu. Chunks of kGlobalNormChunk elements are summed by one block each, in an
// order fixed by the elements' positions, then the chunks' sums by one block, likewise; the chunk
// does not depend on the GPU.
//
// grads           device, f32 [count], all parameters' gradients one after the other; read only
// norm_and_scale  device, f32 [2], overwritten
// workspace       device, global_norm_workspace() bytes, contents don't matter
void global_norm_reduce(const float* grads, int count, float max_norm, float* norm_and_scale,
                        void* workspace, cudaStream_t stream,
                        GlobalNormVariant variant = GlobalNormVariant::deterministic);

inline constexpr int kGlobalNormChunk = 2048;
std::size_t global_norm_workspace(int count);  // in bytes

}  // namespace foxhunt
