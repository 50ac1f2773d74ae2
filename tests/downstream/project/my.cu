// SPDX-License-Identifier: MIT
// Cases of a user's: kernels of their own, two of them from a library.
#include "kernels/math/philox.h"
#include "kernels/simt/explore/case.h"
#include "sums.h"

namespace {

constexpr int kNumbers = 64;

__global__ void draw(float* out) {
  const auto words = foxhunt::math::philox(7, foxhunt::math::RngPurpose{100}, 0, threadIdx.x);
  out[threadIdx.x] = foxhunt::math::exp(foxhunt::math::normals(words).first.first);
}

// The barrier between the two lines is missing.
__global__ void turn_round(float* values) {
  FOXHUNT_SHARED(float, tile, kNumbers);
  tile[threadIdx.x] = values[threadIdx.x];
  values[threadIdx.x] = tile[kNumbers - 1 - threadIdx.x];
}

struct Numbers {
  Numbers() {
    cudaMalloc(&values, kNumbers * sizeof(float));
    cudaMalloc(&sum, sizeof(float));
    foxhunt::launch(draw, 1, kNumbers, 0, nullptr, values);
  }
  ~Numbers() {
    cudaFree(values);
    cudaFree(sum);
  }
  float *values = nullptr, *sum = nullptr;
};

}  // namespace

FOXHUNT_EXPLORE(in_order) {
  Numbers n;
  sum_in_order(n.values, kNumbers, n.sum, nullptr);
  out.device("sum", n.sum, 1);
}

FOXHUNT_EXPLORE(by_atomics) {
  Numbers n;
  sum_by_atomics(n.values, kNumbers, n.sum, nullptr);
  out.device("sum", n.sum, 1);
}

FOXHUNT_EXPLORE(turned_round) {
  Numbers n;
  foxhunt::launch(turn_round, 1, kNumbers, 0, nullptr, n.values);
  out.device("values", n.values, kNumbers);
}
