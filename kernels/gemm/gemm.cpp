// SPDX-License-Identifier: MIT
#include "kernels/gemm/gemm.h"

#include <atomic>

#include "dump/format/error.h"
#include "kernels/gemm/cublas_gemm.h"

namespace foxhunt {
namespace {

std::atomic<bool> own_everywhere{false};

bool is_of_cublas(GemmVariant variant) {
  return variant == GemmVariant::cublas_not_pedantic ||
         variant == GemmVariant::cublas_shared_workspace;
}

}  // namespace

void use_own_gemm(bool own) { own_everywhere = own; }

void gemm(const Gemm& problem, cudaStream_t stream, GemmVariant variant) {
#ifdef FOXHUNT_SIMT
  if (is_of_cublas(variant)) {
    throw Error(Errc::bad_argument,
                "gemm at site {}: this variant is one of cuBLAS, which the CPU executor does not "
                "have; run it on the CUDA backend, or choose split_k_atomic",
                problem.site);
  }
  own_gemm(problem, stream, variant);
#else
  const bool own =
      variant == GemmVariant::split_k_atomic || (own_everywhere && !is_of_cublas(variant));
  own ? own_gemm(problem, stream, variant) : cublas_gemm(problem, stream, variant);
#endif
}

}  // namespace foxhunt
