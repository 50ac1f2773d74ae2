// SPDX-License-Identifier: MIT
#include <algorithm>

#include "kernels/encoder/limits.h"
#include "kernels/encoder/mamba2_block.h"
#include "kernels/encoder/mamba2_parts.cuh"

namespace foxhunt {
namespace {

using namespace mamba2;

__global__ void __launch_bounds__(kThreads)
    mamba2_convolve_kernel(Mamba2Shape shape, Mamba2Parameters parameters, const float* projected,
                           float* convolved) {
  const int channels = shape.channels();
  const int elements = shape.batch * shape.window * channels;
  for (int e = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); e < elements;
       e += static_cast<int>(gridDim.x * blockDim.x)) {
    const int row = e / channels, c = e % channels;
    const float* u = projected + item_at(shape, row / shape.window, shape.projected());
    convolved[e] =
        math::silu(convolve(shape, parameters.conv_w, parameters.conv_b, u, row % shape.window, c));
  }
}

// A block owns a head (blockIdx.x) of a batch item (blockIdx.y).
__global__ void __launch_bounds__(kThreads)
    mamba2_scan_kernel(Mamba2Shape shape, Mamba2Parameters parameters,
                       Mamba2Activations activations) {
  FOXHUNT_DYNAMIC_SHARED(float, shared);
  float* dt = shared;                     // [T]
  float* mixing = shared + shape.window;  // [T,T]: (C[t] . B[s]) L[t,s] dt[s]
  const int item = static_cast<int>(blockIdx.y), window = shape.window;
  const Head head = head_of(shape, parameters, activations, item, static_cast<int>(blockIdx.x));
  const int t0 = static_cast<int>(threadIdx.x);
  for (int t = t0; t < window; t += kThreads) dt[t] = step_size(shape, head, t);
  __syncthreads();
  for (int e = t0; e < window * window; e += kThreads) {
    const int t = e / window, s = e % window;
    if (s > t) continue;
    mixing[e] = similarity(shape, head, t, s) * decay(head, dt, t, s) * dt[s];
  }
  __syncthreads();
  const std::ptrdiff_t out =
      item_at(shape, item, shape.inner) + static_cast<std::ptrdiff_t>(blockIdx.x) * shape.head();
  for (int e = t0; e < window * shape.head(); e += kThreads) {
    const int t = e / shape.head(), p = e % shape.head();
    float y = 0.0f;
    for (int s = 0; s <= t; s++) {
      y = math::fma(mixing[t * window + s], head.v[s * shape.channels() + p], y);
    }
    y = math::fma(head.d, head.v[t * shape.channels() + p], y);
    activations.scanned[out + t * shape.inner + p] = y;
    activations.gated[out + t * shape.inner + p] =
        y * math::silu(head.z[t * shape.projected() + p]);
  }
}

}  // namespace

void mamba2::require_shape(const char* op, const Mamba2Shape& shape) {
  require_at_most(op, "the number of heads", shape.heads, shape.inner);
  require_multiple(op, "the inner width", shape.inner, shape.heads);
  require_at_most(op, "the window", shape.window, 64);
  require_shared_memory(op, "a window and heads of this length",
                        scan_floats(shape) * static_cast<int>(sizeof(float)));
}

void mamba2_block_fwd(const float* x, const Mamba2Parameters& parameters, const Mamba2Shape& shape,
                      const Mamba2Activations& activations, float* mamba2_out, cudaStream_t stream,
                      Mamba2Variant variant) {
  const int rows = shape.batch * shape.window;
  if (rows <= 0) return;
  require_shape("mamba2_block_fwd", shape);
  gemm({"mamba2",
        rows,
        shape.projected(),
        shape.width,
        {x, shape.width},
        {parameters.in_proj, shape.projected()},
        activations.projected,
        shape.projected()},
       stream, variant);
  const int elements = rows * shape.channels();
  foxhunt::launch(mamba2_convolve_kernel, blocks(std::min((elements + 255) / 256, 1024)),
                  dim3(kThreads), 0, stream, shape, parameters, activations.projected,
                  activations.convolved);
  foxhunt::launch(mamba2_scan_kernel,
                  dim3(static_cast<unsigned>(shape.heads), static_cast<unsigned>(shape.batch)),
                  dim3(kThreads),
                  static_cast<std::size_t>(shape.window * (shape.window + 1)) * sizeof(float),
                  stream, shape, parameters, activations);
  gemm({"mamba2",
        rows,
        shape.width,
        shape.inner,
        {activations.gated, shape.inner},
        {parameters.out_proj, shape.width},
        mamba2_out,
        shape.width},
       stream, variant);
}

}  // namespace foxhunt
