// SPDX-License-Identifier: MIT
#pragma once

// One source, two compilers: the dialect that kernels, their launchers and their headers are
// written in.
//
// Where FOXHUNT_SIMT is not defined this is the CUDA runtime: a .cu file compiles with nvcc, a host
// file with any compiler. With FOXHUNT_SIMT defined (the CPU builds of kernels define it for
// whoever links them) the same names are the executor's, which runs the kernels on this CPU in an
// order that a schedule chooses (schedule.h). Everything keeps its CUDA name but three spellings:
//
//   FOXHUNT_SHARED(float, tile, 16, 17);       __shared__ float tile[16][17];
//   FOXHUNT_SHARED(unsigned, last);            __shared__ unsigned last;
//   FOXHUNT_DYNAMIC_SHARED(float, scratch);    extern __shared__ float scratch[];
//   foxhunt::launch(kernel<Args>, grid, block, shared_bytes, stream, a, b, c);
//                       kernel<Args><<<grid, block, shared_bytes, stream>>>(a, b, c);
//
// On the CPU the host API may be called from one thread at a time, and kernels run on that thread.

#include <cstddef>
#include <cstdint>

#include "kernels/simt/array_type.h"

#if defined(FOXHUNT_SIMT)

#include "kernels/simt/device_functions.h"
#include "kernels/simt/launch.h"
#include "kernels/simt/runtime_api.h"

#else

#include <cuda_runtime.h>

#include <type_traits>

#if defined(__CUDACC__)

#define FOXHUNT_SHARED(T, name, ...) \
  __shared__ ::foxhunt::simt::ArrayType<T __VA_OPT__(, ) __VA_ARGS__> name

#define FOXHUNT_DYNAMIC_SHARED(T, name)                                   \
  extern __shared__ __align__(16) unsigned char foxhunt_dynamic_shared[]; \
  T* name = reinterpret_cast<T*>(foxhunt_dynamic_shared)

namespace foxhunt {

// Queues kernel<<<grid, block, shared_bytes, stream>>>(arguments...).
template <class... Parameters>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes,
            cudaStream_t stream, std::type_identity_t<Parameters>... arguments) {
  // It would take >>> apart.
  // clang-format off
  kernel<<<grid, block, shared_bytes, stream>>>(arguments...);
  // clang-format on
}

}  // namespace foxhunt

#endif  // __CUDACC__
#endif  // FOXHUNT_SIMT
