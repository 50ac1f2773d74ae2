// SPDX-License-Identifier: MIT
#include "kernels/heads/mean_of_rows.h"
#include "kernels/heads/tile_product.h"

namespace foxhunt {
namespace heads {

__global__ void mean_of_rows_kernel(const float* rows, int count, float* mean) {
  FOXHUNT_SHARED(float, sums, kThreads);
  const int t = static_cast<int>(threadIdx.x);
  float sum = 0.0f;
  for (int i = t; i < count; i += kThreads) sum = math::add(sum, rows[i]);
  sums[t] = sum;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (t < half) sums[t] = math::add(sums[t], sums[t + half]);
    __syncthreads();
  }
  if (t == 0) *mean = count == 0 ? 0.0f : math::div(sums[0], static_cast<float>(count));
}

}  // namespace heads

void mean_of_rows(const float* rows, int count, float* mean, cudaStream_t stream) {
  launch(heads::mean_of_rows_kernel, 1, heads::kThreads, 0, stream, rows, count, mean);
}

}  // namespace foxhunt
