// SPDX-License-Identifier: MIT
#include "kernels/gemm/cublas_gemm.h"

#include <cublas_v2.h>

#include <cstdio>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "dump/format/error.h"

namespace foxhunt {
namespace {

// What cuBLAS's manual recommends for Hopper; older GPUs need less.
constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;

void check(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw Error(Errc::device, "{} failed: {} ({})", call, cublasGetStatusName(status),
              cublasGetStatusString(status));
}

void check(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  throw Error(Errc::device, "{} failed: {} ({})", call, cudaGetErrorName(status),
              cudaGetErrorString(status));
}

const char* mode_name(cublasMath_t mode) {
  switch (static_cast<int>(mode)) {
    case CUBLAS_DEFAULT_MATH:
      return "CUBLAS_DEFAULT_MATH";
    case CUBLAS_PEDANTIC_MATH:
      return "CUBLAS_PEDANTIC_MATH";
    case CUBLAS_TF32_TENSOR_OP_MATH:
      return "CUBLAS_TF32_TENSOR_OP_MATH";
    default:
      return "other";
  }
}

void* new_workspace() {
  void* workspace = nullptr;
  check(cudaMalloc(&workspace, kWorkspaceBytes), "cudaMalloc of cuBLAS's workspace");
  return workspace;
}

struct StreamHandle {
  cublasHandle_t handle = nullptr;
  void* workspace = nullptr;
};

// All that lives as long as the process; used with the mutex held.
struct State {
  std::mutex mutex;
  std::map<std::pair<int, cudaStream_t>, StreamHandle> handles;
  std::map<int, void*> shared_workspaces;  // by device
  std::set<std::pair<std::string, int>> said;
};

State& state() {
  static auto* const state = new State;  // never destroyed: cuBLAS may be gone before it
  return *state;
}

StreamHandle& handle_of(State& all, int device, cudaStream_t stream) {
  StreamHandle& mine = all.handles[{device, stream}];
  if (mine.handle == nullptr) {
    mine.workspace = new_workspace();
    check(cublasCreate(&mine.handle), "cublasCreate");
    check(cublasSetStream(mine.handle, stream), "cublasSetStream");
    check(cublasSetAtomicsMode(mine.handle, CUBLAS_ATOMICS_NOT_ALLOWED), "cublasSetAtomicsMode");
  }
  return mine;
}

void say_mode(State& all, cublasHandle_t handle, const char* site) {
  cublasMath_t mode{};
  check(cublasGetMathMode(handle, &mode), "cublasGetMathMode");
  if (!all.said.emplace(site, static_cast<int>(mode)).second) return;
  std::fprintf(stderr, "[cublas_determinism] site=%s math_mode=%s workspace_bytes=%zu\n", site,
               mode_name(mode), kWorkspaceBytes);
}

cublasOperation_t operation(const GemmOperand& x) {
  return x.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
}

}  // namespace

void cublas_gemm(const Gemm& g, cudaStream_t stream, GemmVariant variant) {
  if (g.m <= 0 || g.n <= 0 || g.batch <= 0) return;
  if (g.k <= 0) return own_gemm(g, stream);  // nothing to multiply
  State& all = state();
  const std::lock_guard lock(all.mutex);
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  StreamHandle& mine = handle_of(all, device, stream);
  void* workspace = mine.workspace;
  if (variant == GemmVariant::cublas_shared_workspace) {
    // The bug: whatever runs on another stream meanwhile keeps its partial sums here too.
    void*& shared = all.shared_workspaces[device];
    if (shared == nullptr) shared = new_workspace();
    workspace = shared;
  }
  check(cublasSetWorkspace(mine.handle, workspace, kWorkspaceBytes), "cublasSetWorkspace");
  // The bug of cublas_not_pedantic: products of operands rounded to TF32.
  check(cublasSetMathMode(mine.handle, variant == GemmVariant::cublas_not_pedantic
                                           ? CUBLAS_TF32_TENSOR_OP_MATH
                                           : CUBLAS_PEDANTIC_MATH),
        "cublasSetMathMode");
  say_mode(all, mine.handle, g.site);
  // cuBLAS is column-major: it sees C's transpose, which is op(B)' op(A)'.
  check(cublasSgemmStridedBatched(mine.handle, operation(g.b), operation(g.a), g.n, g.m, g.k,
                                  &g.alpha, g.b.data, g.b.stride, g.b_batch, g.a.data, g.a.stride,
                                  g.a_batch, &g.beta, g.c, g.c_stride, g.c_batch, g.batch),
        "cublasSgemmStridedBatched");
  if (g.bias != nullptr) {
    Gemm add_bias = g;
    add_bias.k = 0;
    add_bias.beta = 1.0f;
    own_gemm(add_bias, stream);
  }
}

}  // namespace foxhunt
